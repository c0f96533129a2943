import type { Columns } from '@tapline/plugin-sdk';
import type { Models } from '../links.ts';
import { isStored, keyOf, type Model, type ModelField, quote } from '../model.ts';

/** What an entry says of values; links become `name-id`, for which the database is asked while it inserts. */
export interface Changes {
  plain: Record<string, unknown>;
  /** SQL of further values, by field, with its bindings */
  links: Record<string, { sql: string; bindings: unknown[] }>;
}

const hidden = 'hidden';

/** The fields that an entry tells of: what a client could write and a column holds. */
const told = (model: Model) =>
  [...model.fields.values()].filter(
    (bound) => bound.name !== 'id' && isStored(bound) && bound.field.type !== 'computed' && bound.field.mode !== 'ro',
  );

/** Every writable field of a row that was made or deleted. */
export function changesOf(models: Models, model: Model, row: Columns): Changes {
  const changes: Changes = { plain: { id: row.id }, links: {} };
  for (const bound of told(model)) {
    const value = row[keyOf(bound)];
    const link = bound.kind === 'ref' ? linkText(models, bound, value) : undefined;
    if (link) changes.links[bound.name] = link;
    else changes.plain[bound.name] = shown(bound, value);
  }
  return changes;
}

/** `[before, after]` of each writable field that changed; undefined where none did. */
export function changesBetween(models: Models, model: Model, before: Columns, after: Columns): Changes | undefined {
  const changes: Changes = { plain: {}, links: {} };
  for (const bound of told(model)) {
    const [old, now] = [before[keyOf(bound)], after[keyOf(bound)]];
    if (comparable(old) === comparable(now)) continue;
    const [from, to] = [old, now].map((value) => linkText(models, bound, value) ?? plainText(bound, value));
    if (bound.kind === 'ref')
      changes.links[bound.name] = {
        sql: `jsonb_build_array(${from!.sql}, ${to!.sql})`,
        bindings: [...from!.bindings, ...to!.bindings],
      };
    else changes.plain[bound.name] = [shown(bound, old), shown(bound, now)];
  }
  return Object.keys(changes.plain).length || Object.keys(changes.links).length ? changes : undefined;
}

/** The same text for the same value, whatever the order of its keys. */
export const comparable = (value: unknown) => JSON.stringify(sorted(value ?? null));

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function shown({ field }: ModelField, value: unknown): unknown {
  // who reads the entry need not be who may read the field
  if (field.secret || field.read) return hidden;
  if (value === undefined || value === null) return null;
  if (typeof value === 'object') return value instanceof Date ? value.toISOString() : JSON.stringify(value);
  return typeof value === 'string' ? withoutPassword(value) : value;
}

/** The password that an address of a repository may hold. */
const withoutPassword = (text: string) => text.replace(/^([A-Za-z][\w+.-]*:\/\/[^/@:\s]*):[^/\s]*@/, `$1:${hidden}@`);

const plainText = (bound: ModelField, value: unknown) => ({
  sql: '?::text',
  bindings: [shown(bound, value) === null ? null : String(shown(bound, value))],
});

function linkText(models: Models, { field, kind }: ModelField, value: unknown) {
  const target = kind === 'ref' && value != null ? models.get(field.target!) : undefined;
  const name = target && nameColumn(target);
  if (!name) return undefined;
  const sql = `coalesce((select ${quote(name)} || '-' || id from ${quote(target.table)} where id = ?), ?)`;
  return { sql, bindings: [value, String(value)] };
}

/** The column by which people know such a row. */
export const nameColumn = (model: Model): string | undefined =>
  ['name', 'username', 'hostname'].find((column) => model.columns.has(column));
