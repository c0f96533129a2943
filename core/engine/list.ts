import type { Call } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Engine } from './compile.ts';
import { applyFilters } from './filters.ts';
import { type Model, quote } from './model.ts';
import { variantTypes } from './links.ts';
import { lastOf } from './paginate.ts';
import { narrowToRoleLevel } from '../rbac/role-level.ts';
import { searchConditions } from './search.ts';
import { alias, ofType } from './sql.ts';

export type Narrow = (builder: Knex.QueryBuilder, alias: string) => void;

/** The ids that the caller's query selects, neither ordered nor cut: what the count counts. */
export function selectRows(
  engine: Engine,
  model: Model,
  call: Pick<Call, 'actor' | 'query'>,
  narrow?: Narrow,
  see: Narrow = (builder, name) => model.resource.access.see.query(call.actor, builder, name),
): Knex.QueryBuilder {
  const builder = engine.db.from(`${model.table} as ${alias}`);
  ofType(model, builder, alias);
  applyTypes(engine, model, call.query, builder);
  model.resource.listed?.(builder, alias);
  narrow?.(builder, alias);
  see(builder, alias);
  applyFilters({ models: engine.models, actor: call.actor }, model, call.query, builder, alias);
  for (const text of call.query.getAll('search')) {
    for (const { sql, bindings } of searchConditions(model, text)) builder.whereRaw(sql(alias), bindings);
  }
  const level = lastOf(call.query, 'role_level');
  if (level !== undefined) narrowToRoleLevel(builder, model.type, level, call.actor, alias);
  return builder;
}

/** Mixed lists hold only their variants' rows; `?type=a,b` picks among them, or empties another type's list. */
function applyTypes(engine: Engine, model: Model, query: URLSearchParams, builder: Knex.QueryBuilder): void {
  const variants = variantTypes(engine.models, model);
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
