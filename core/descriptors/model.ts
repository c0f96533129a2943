import { type Field, type Resource, type View, field } from '@tapline/plugin-sdk';
import { quote } from '../db/quote.ts';
import { type RowClass, rowClass } from './write/row-class.ts';
import { bindSide, isSideField, maskedSql, type SideColumn, type SideTable } from './extend/side-field.ts';
import type { Table, Tables } from '../db/tables.ts';

export type Kind = 'text' | 'integer' | 'number' | 'boolean' | 'datetime' | 'json' | 'ref' | 'other';

/** A field bound to its table. */
export interface ModelField {
  name: string;
  field: Field;
  /** how values compare in filters */
  kind: Kind;
  /** the stored column; absent for computed and virtual ones */
  column?: string;
  dataType?: string;
  /** SQL of the value; absent for what only the representation has */
  sql?: (alias: string) => string;
  /** a public id that stands for several columns */
  key?: (id: number) => Record<string, number>;
  /** a secret of a plugin's resource: stored encrypted, shown as `$encrypted$` */
  sealed?: boolean;
  /** stored beside the row, in a table of a plugin; then there is no `column` */
  side?: SideColumn;
  /** SQL of the value where the side table is joined, and of what is stored even if it is a secret */
  joined?: string;
  storedSql?: (alias: string) => string;
  /** a condition on the value such that Postgres looks into the side table once, not once for each row */
  besideSql?: (alias: string, holds: (value: string) => string) => string;
}

/** Under which name input and rows hold the field's value. */
export const keyOf = ({ name, column }: ModelField) => column ?? name;
export const isStored = ({ column, side }: ModelField) => column !== undefined || side !== undefined;

export interface Model {
  resource: Resource;
  type: string;
  table: string;
  columns: Table;
  fields: ReadonlyMap<string, ModelField>;
  /** what lists and details show besides id, type, url, related and summary_fields */
  shown: Record<View, ModelField[]>;
  refs: ModelField[];
  /** tables of plugins with further fields of its rows */
  sides: readonly SideTable[];
  rows: RowClass;
  id: (alias: string) => string;
  url: (id: number) => string;
}

const kinds: Record<Field['type'], Kind> = {
  string: 'text',
  text: 'text',
  jsonText: 'text',
  choice: 'text',
  integer: 'integer',
  number: 'number',
  decimal: 'number',
  boolean: 'boolean',
  datetime: 'datetime',
  json: 'json',
  list: 'json',
  ref: 'ref',
  computed: 'other',
};

export { quote };
export const expand = (sql: string, alias: string) => sql.replaceAll('{alias}', quote(alias));

const leading = ['created', 'modified', 'name', 'description'];
/** Kept for filters, links and summaries, never shown as fields. */
const actors = ['created_by', 'modified_by'];

/** `sealing`: secrets are encrypted here; core's own resources see to that themselves. */
export function compileModel(resource: Resource, tables: Tables, { sealing = false } = {}): Model {
  const columns = tables.get(resource.table);
  if (!columns)
    throw new Error(`resource ${resource.type}: there is no table ${resource.table}: add a migration that makes it`);
  const fields = new Map(
    Object.entries(withCommonFields(resource.fields, columns)).map(([name, declared]) => [
      name,
      sealed(bindField(resource, columns, name, declared), sealing),
    ]),
  );
  const shown = [...fields.values()].filter(
    ({ name, field: f, sealed: asMask }) =>
      name !== 'id' &&
      (!f.secret || isSideField(f) || asMask) &&
      f.mode !== 'wo' &&
      !(actors.includes(name) && !resource.fields[name]),
  );
  const { identity } = resource;
  return {
    resource,
    type: resource.type,
    table: resource.table,
    columns,
    fields,
    shown: {
      detail: shown,
      list: shown.filter(({ field: f }) => !f.detailOnly),
    },
    refs: [...fields.values()].filter(({ field: f }) => f.type === 'ref' && f.mode !== 'wo'),
    sides: sidesOf([...fields.values()]),
    rows: rowClass(resource.table, columns),
    id: identity ? (alias) => expand(identity.sql, alias) : (alias) => `${quote(alias)}."id"`,
    url: (id) => `/api/v2/${resource.path}/${id}/`,
  };
}

function withCommonFields(declared: Record<string, Field>, columns: Table): Record<string, Field> {
  const common: Record<string, Field> = { id: field.integer({ mode: 'ro', label: 'ID' }) };
  for (const name of ['created', 'modified']) if (columns.has(name)) common[name] = field.datetime({ mode: 'ro' });
  for (const name of leading) if (declared[name]) common[name] = declared[name];
  for (const name of actors) if (columns.has(`${name}_id`)) common[name] = field.ref('user', { mode: 'ro' });
  return { ...common, ...declared };
}

/** A field that no table stands behind. */
export const freeField = (name: string, declared: Field): ModelField => ({
  name,
  field: declared,
  kind: declared.numeric ? 'integer' : kinds[declared.type],
});

function bindField(resource: Resource, columns: Table, name: string, declared: Field): ModelField {
  const column = declared.column ?? (declared.type === 'ref' ? `${name}_id` : name);
  const bound = freeField(name, declared);
  if (name === 'id' && resource.identity) {
    const { sql, columns: key } = resource.identity;
    return { ...bound, key, sql: (alias) => expand(sql, alias) };
  }
  if (isSideField(declared)) return { ...bound, ...bindSide(declared) };
  if (declared.sql !== undefined) {
    const { sql } = declared;
    return { ...bound, sql: (alias) => expand(sql, alias) };
  }
  if (columns.has(column))
    return { ...bound, column, dataType: columns.get(column)!, sql: (alias) => `${quote(alias)}.${quote(column)}` };
  // declared `column` may also be an expression over the alias
  if (declared.column?.includes('{alias}')) return { ...bound, sql: (alias) => expand(declared.column!, alias) };
  if (declared.type === 'computed' || declared.mode === 'wo') return bound;
  throw new Error(
    `resource ${resource.type}: field ${name} has no column ${column} in ${resource.table}: add it in a migration, or name another with \`column\``,
  );
}

function sealed(bound: ModelField, sealing: boolean): ModelField {
  const { field: declared, column, dataType, sql } = bound;
  const text = ['string', 'text', 'jsonText'].includes(declared.type) && dataType === 'text';
  if (!(sealing || declared.sealed) || !declared.secret || declared.mode === 'ro' || !column || !text) return bound;
  return { ...bound, sealed: true, sql: (alias) => maskedSql(sql!(alias)) };
}

/** Each once, however many fields it holds. */
const sidesOf = (fields: readonly ModelField[]): SideTable[] => [
  ...new Map(fields.flatMap(({ side }) => (side ? [[side.table, side] as const] : []))).values(),
];
