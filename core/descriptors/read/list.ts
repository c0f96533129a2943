import { ApiError, type Call } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../compile.ts';
import { badFilter } from './filter-key.ts';
import type { Asking } from './filter-path.ts';
import { applyFilters } from './filters.ts';
import { type Model, quote } from '../model.ts';
import { compileExpression } from './expression-filter.ts';
import { variantTypes } from '../links.ts';
import { lastOf } from './paginate.ts';
import { applyParameters } from './parameters.ts';
import { narrowToRoleLevel } from '../../rbac/role-level.ts';
import { searchConditions } from './search.ts';
import { alias, ofType } from './sql.ts';

export type Narrow = (builder: Knex.QueryBuilder, alias: string) => void;

/** The ids that the caller's query selects, neither ordered nor cut: what the count counts. */
export function selectRows(
  catalog: Catalog,
  model: Model,
  call: Pick<Call, 'actor' | 'query'>,
  narrow?: Narrow,
  see: Narrow = (builder, name) => model.resource.access.see.query(call.actor, builder, name),
): Knex.QueryBuilder {
  const builder = catalog.db.from(`${model.table} as ${alias}`);
  ofType(model, builder, alias);
  applyTypes(catalog, model, call.query, builder);
  model.resource.listed?.(builder, alias);
  narrow?.(builder, alias);
  see(builder, alias);
  const asking = { db: catalog.db, models: catalog.models, actor: call.actor };
  applyFilters(asking, model, call.query, builder, alias);
  applyExpression(asking, model, call.query, builder);
  applyParameters(model, call, builder, alias);
  for (const text of call.query.getAll('search')) {
    for (const { sql, bindings } of searchConditions(model, text)) builder.whereRaw(sql(alias), bindings);
  }
  const level = lastOf(call.query, 'role_level');
  if (level !== undefined) narrowToRoleLevel(builder, model.type, level, call.actor, alias);
  return builder;
}

function applyExpression(asking: Asking, model: Model, query: URLSearchParams, builder: Knex.QueryBuilder): void {
  const { parameter } = model.resource.expression ?? {};
  const texts = parameter === undefined ? [] : query.getAll(parameter).filter((text) => text.trim());
  if (texts.length > 1) throw badFilter(`${parameter}: say it once.`);
  for (const text of texts) {
    try {
      compileExpression(asking, model, text)(builder, alias);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const detail = `${parameter}: ${String(error.body.detail)}`;
      // clients of this list read it under either name
      throw new ApiError(error.status, { detail, error: detail });
    }
  }
}

/** Mixed lists hold only their variants' rows; `?type=a,b` picks among them, or empties another type's list. */
function applyTypes(catalog: Catalog, model: Model, query: URLSearchParams, builder: Knex.QueryBuilder): void {
  const variants = variantTypes(catalog.models, model);
  const asked = query.has('type')
    ? query
        .getAll('type')
        .flatMap((value) => value.split(','))
        .map((type) => type.trim())
    : undefined;
  if (!variants) {
    if (asked && !asked.includes(model.type)) builder.whereRaw('false');
    return;
  }
  const kinds = [...variants.types].filter(([, { type }]) => !asked || asked.includes(type)).map(([kind]) => kind);
  builder.whereRaw(`${quote(alias)}.${quote(variants.column)} = any (?)`, [kinds]);
}
