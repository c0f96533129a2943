import type { Resource } from '@tapline/plugin-sdk';
import type { Model, ModelField } from './model.ts';
import { quote } from './model.ts';

export type Models = ReadonlyMap<string, Model>;

/** A plugin that is off takes its types along: sublists of them are not served. */
export const knownSublists = (models: Models, { sublists = {} }: Resource) =>
  Object.entries(sublists).filter(([, { resource }]) => models.has(resource));

/** The address of a row whose type is known only from its columns (mixed lists, links to them). */
export function variantTypes(models: Models, model: Model): { column: string; types: Map<string, Model> } | undefined {
  const variants = (model.resource.variants ?? [])
    .map((type) => models.get(type))
    .filter((found) => found !== undefined);
  if (!variants.length) return undefined;
  const column = Object.keys(variants[0]!.resource.where ?? {})[0];
  if (!column)
    throw new Error(
      `resource ${model.type}: its variant ${variants[0]!.type} does not say with \`where\` which rows are its own`,
    );
  return { column, types: new Map(variants.map((variant) => [variant.resource.where![column]!, variant])) };
}

/**
 * What a ref shows of its target, as one scalar subquery: it costs a key lookup per row and no join,
 * so the page's statement is the same text at every size. `@kind` tells the type of a mixed target.
 * What is null is not shown: whoever reads it leaves that out, since Postgres would have to read the JSON that it just made.
 */
export function summarySql(models: Models, ref: ModelField, alias: string): string | undefined {
  const target = models.get(ref.field.target!);
  if (!target || !ref.sql) return undefined;
  const inner = `${alias}_s`;
  const parts = summaryKeys(target).map((key) => `'${key}', ${keySql(target, key, inner)}`);
  const variants = variantTypes(models, target);
  if (variants) parts.push(`'@kind', ${quote(inner)}.${quote(variants.column)}`);
  return `(select json_build_object(${parts.join(', ')}) from ${quote(target.table)} ${quote(inner)} where ${target.id(inner)} = ${ref.sql(alias)})`;
}

export function summaryKeys(target: Model): readonly string[] {
  const usual = ['id', 'name', 'description'].filter(
    (key) => target.fields.has(key) && !target.fields.get(key)!.field.read,
  );
  return target.resource.summary ?? usual;
}

const isoSql = (sql: string) => `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

function keySql(target: Model, key: string, alias: string): string {
  const field = target.fields.get(key);
  if (field?.sql) return field.kind === 'datetime' ? isoSql(field.sql(alias)) : field.sql(alias);
  const extra = target.resource.extraSql?.[key];
  if (extra) return extra.replaceAll('{alias}', quote(alias));
  if (target.columns.has(key)) return `${quote(alias)}.${quote(key)}`;
  throw new Error(
    `resource ${target.type}: summary names ${key}, which is neither a field with SQL, nor in extraSql, nor a column`,
  );
}
