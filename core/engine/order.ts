import type { Knex } from 'knex';
import { badFilter } from './filter-key.ts';
import { type Step, resolvePath } from './filter-path.ts';
import { type Models, variantTypes } from './links.ts';
import { expand, type Model, quote } from './model.ts';

/** `order_by=-finished,organization__name`, with the default order appended so that pages never overlap. */
export function applyOrder(
  models: Models,
  model: Model,
  query: URLSearchParams,
  builder: Knex.QueryBuilder,
  alias: string,
  fallback: readonly string[],
): void {
  const asked = [...query.getAll('order_by'), ...query.getAll('order')]
    .flatMap((value) => value.split(','))
    .map((key) => key.trim())
    .filter(Boolean);
  const seen = new Set<string>();
  for (const key of [...asked, ...fallback, 'id']) {
    const descending = key.startsWith('-');
    const name = descending ? key.slice(1) : key;
    if (seen.has(name)) continue;
    seen.add(name);
    for (const sql of orderSql(models, model, name, alias)) builder.orderByRaw(`${sql}${descending ? ' desc' : ''}`);
  }
}

function orderSql(models: Models, model: Model, key: string, alias: string): string[] {
  if (key === 'type') {
    const variants = variantTypes(models, model);
    return variants ? [`${quote(alias)}.${quote(variants.column)}`] : [];
  }
  if (!/^\w+$/.test(key)) throw badFilter(`order_by: ${JSON.stringify(key)} is not a valid field name.`);
  const { steps, field } = resolvePath(models, model, key.split('__'), key);
  if (!field || steps.some(({ many }) => many)) throw badFilter(`order_by: ${key} does not name one value per row.`);
  if (field.name === 'id' && !steps.length) return idOrder(model, alias);
  const own = (at: string) => (field.field.orderSql ? expand(field.field.orderSql, at) : field.sql!(at));
  return [scalar(steps, own, alias)];
}

/** The key's own columns, so that an index serves. */
function idOrder(model: Model, alias: string): string[] {
  const { identity } = model.resource;
  return identity
    ? Object.keys(identity.columns(0)).map((column) => `${quote(alias)}.${quote(column)}`)
    : [model.id(alias)];
}

function scalar([step, ...rest]: Step[], own: (alias: string) => string, alias: string): string {
  if (!step) return own(alias);
  const name = `${alias}_o`;
  return `(select ${scalar(rest, own, name)} from ${quote(step.target.table)} ${quote(name)} where ${step.condition(alias, name)})`;
}
