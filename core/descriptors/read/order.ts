import type { Knex } from 'knex';
import { badFilter } from './filter-key.ts';
import { type Asking, type Step, resolvePath } from './filter-path.ts';
import { variantTypes } from '../links.ts';
import { expand, type Model, type ModelField, quote } from '../model.ts';
import { joinSide } from '../extend/side-field.ts';
import { rankSql } from './rank.ts';

/** `order_by=-finished,organization__name`, with the default order appended so that pages never overlap. */
export function applyOrder(
  context: OrderContext,
  model: Model,
  query: URLSearchParams,
  alias: string,
  fallback: readonly string[],
): void {
  const asked = [...query.getAll('order_by'), ...query.getAll('order')]
    .flatMap((value) => value.split(','))
    .map((key) => key.trim())
    .filter(Boolean);
  const { order, reverse = false } = context;
  if (order && !asked.length) context.builder.orderByRaw(order.sql + (reverse ? ' desc' : ''), order.bindings);
  const seen = new Set<string>();
  for (const key of [...asked, ...fallback, 'id']) {
    const name = key.replace(/^-/, '');
    if (seen.has(name)) continue;
    seen.add(name);
    const descending = key.startsWith('-') !== reverse;
    for (const { sql, bindings } of orderSql(context, model, name, alias))
      context.builder.orderByRaw(`${sql}${descending ? ' desc' : ''}`, bindings);
  }
}

export interface OrderContext extends Asking {
  builder: Knex.QueryBuilder;
  /** the other way round, for reading from the end */
  reverse?: boolean;
  /** where nothing is asked for, before the default order */
  order?: Sql;
}

export interface Sql {
  sql: string;
  bindings: readonly Knex.RawBinding[];
}

const plain = (sql: string): Sql => ({ sql, bindings: [] });

function orderSql(context: OrderContext, model: Model, key: string, alias: string): Sql[] {
  const { models } = context;
  if (key === 'type') {
    const variants = variantTypes(models, model);
    return variants ? [plain(`${quote(alias)}.${quote(variants.column)}`)] : [];
  }
  if (!/^\w+$/.test(key)) throw badFilter(`order_by: ${JSON.stringify(key)} is not a valid field name.`);
  const { steps, field } = resolvePath(context, model, key.split('__'), key);
  if (!field || steps.some(({ many }) => many)) throw badFilter(`order_by: ${key} does not name one value per row.`);
  if (field.name === 'id' && !steps.length) return idOrder(model, alias).map(plain);
  if (field.side && !steps.length) return [beside(context, field, alias)];
  const own = (at: string) =>
    field.field.orderSql ? expand(field.field.orderSql, at) : inOrder(field, field.sql!(at));
  // the same for every row: there is nothing to order, and Postgres takes a bare constant for a column's number
  if (own('a') === own('b')) return [];
  return [scalar(context, steps, own, alias)];
}

const inOrder = ({ field }: ModelField, sql: string) => (field.ranked ? rankSql(field, sql) : sql);

/** A value of a side table: joined, since looking it up for each row would cost several times as much. */
function beside({ builder }: OrderContext, field: ModelField, alias: string): Sql {
  const join = joinSide(field.side!, alias);
  if (!builder.toSQL().sql.includes(join)) builder.joinRaw(join);
  return plain(inOrder(field, field.joined!));
}

/** The key's own columns, so that an index serves. */
function idOrder(model: Model, alias: string): string[] {
  const { identity } = model.resource;
  return identity
    ? Object.keys(identity.columns(0)).map((column) => `${quote(alias)}.${quote(column)}`)
    : [model.id(alias)];
}

/** The value behind links; what the caller may not see orders like nothing at all, so that an order cannot tell of it. */
function scalar(context: OrderContext, [step, ...rest]: Step[], own: (alias: string) => string, alias: string): Sql {
  if (!step) return plain(own(alias));
  const { builder, actor } = context;
  const name = `${alias}_o`;
  const value = scalar(context, rest, own, name);
  const rows = builder.client.queryBuilder().from(`${step.target.table} as ${name}`);
  rows.select(builder.client.raw(value.sql, value.bindings)).whereRaw(step.condition(alias, name));
  step.target.resource.access.see.query(actor, rows, name);
  const { sql, bindings } = rows.toSQL();
  return { sql: `(${sql})`, bindings };
}
