import type { Call } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Engine } from './compile.ts';
import { applyFilters } from './filters.ts';
import { type Model, quote } from './model.ts';
import { variantTypes } from './links.ts';
import { applyOrder } from './order.ts';
import { type Found, representFound } from './represent.ts';
import { envelope, invalidPage, lastOf, maxPageSize, readPage } from './paginate.ts';
import { narrowToRoleLevel } from '../rbac/role-level.ts';
import { searchConditions } from './search.ts';
import { alias, ofType } from './sql.ts';

export type Narrow = (builder: Knex.QueryBuilder, alias: string) => void;

export interface ListOptions {
  narrow?: Narrow;
  orderBy?: readonly string[];
  /** the rows follow the parent's readability instead of their own */
  path?: string;
}

/** The ids that the caller's query selects, neither ordered nor cut: what the count counts. */
export function selectRows(
  engine: Engine,
  model: Model,
  call: Pick<Call, 'actor' | 'query'>,
  narrow?: Narrow,
): Knex.QueryBuilder {
  const builder = engine.db.from(`${model.table} as ${alias}`);
  ofType(model, builder, alias);
  applyTypes(engine, model, call.query, builder);
  model.resource.listed?.(builder, alias);
  narrow?.(builder, alias);
  model.resource.access.see.query(call.actor, builder, alias);
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

/** A page as the list routes answer it: the ids, their rows, and the count where the page does not tell it. */
export async function listPage(
  engine: Engine,
  model: Model,
  call: Call,
  path: string,
  { narrow, orderBy }: ListOptions = {},
) {
  const { query } = call;
  const selection = selectRows(engine, model, call, narrow);
  const kind = variantTypes(engine.models, model)?.column;
  const ids = (limit: number, offset: number): PromiseLike<Found[]> => {
    const builder = selection
      .clone()
      .select(engine.db.raw(`${model.id(alias)} as id`))
      .limit(limit);
    if (kind) builder.select({ kind: `${alias}.${kind}` });
    applyOrder(engine.models, model, query, builder, alias, orderBy ?? model.resource.orderBy, call.actor);
    return (offset ? builder.offset(offset) : builder) as unknown as PromiseLike<Found[]>;
  };
  const count = async () => Number((await selection.clone().count({ count: '*' }))[0].count);
  const represent = (found: Found[]) => representFound(engine, model, found, call, 'list');

  const limit = lastOf(query, 'limit');
  if (model.resource.limitParameter && limit !== undefined && /^\d{1,9}$/.test(limit)) {
    return { results: await represent(await ids(Math.min(Number(limit) || maxPageSize, maxPageSize), 0)) };
  }
  const page = readPage(query);
  const total = page.number === 'last' ? await count() : undefined;
  const number = page.number === 'last' ? Math.max(1, Math.ceil(total! / page.size)) : page.number;
  const found = await ids(page.size, (number - 1) * page.size);
  if (!found.length && number > 1) throw invalidPage();
  if (query.has('count_disabled')) return { results: await represent(found) };
  // a page that is not full is the last one and so tells the count
  const known = total ?? (found.length < page.size ? (number - 1) * page.size + found.length : undefined);
  const [counted, results] = await Promise.all([known ?? count(), represent(found)]);
  return envelope(path, query, { size: page.size, number }, counted, results);
}
