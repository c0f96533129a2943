import { createHash } from 'node:crypto';
import type { Actor, Resource, Row, View } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type Models, summarySql } from '../links.ts';
import { type Model, expand, quote } from '../model.ts';
import { namingColumns } from '../naming.ts';
import { runPrepared, type Statement } from '../../db/prepared.ts';
import { joinSide } from '../extend/side-field.ts';
import { besideSql, type Grant, keepBeside, type RoleColumn, roleColumns } from '../../rbac/held.ts';

export const alias = 't';
/** Prefix of the columns that carry a ref's summary. */
export const summaryPrefix = '@';
/** What a ref of a row shows of its target, with `@kind` where that is of a mixed type; absent where the ref is not read. */
export const summaryOf = (row: Row, ref: string) =>
  row[summaryPrefix + ref] as Record<string, unknown> | null | undefined;
/** The column with the parts of the row's name in addresses. */
export const nameKey = '@@name';
/** When the row was written last, where the field `modified` tells something else. */
export const versionKey = '@@version';

/** `bare`: what rules look at, that is neither computed fields nor summaries */
export type Extent = 'whole' | 'bare';

interface ReadRow {
  row: Row;
  beside: Grant[];
}

export interface Reads {
  /** the rows of these ids, complete with summaries, in no order */
  rows: (db: Knex, view: View, ids: readonly number[]) => Promise<Row[]>;
  /** one row, with the caller's roles beside it: as details show it, or its columns alone */
  row: (db: Knex, id: number, actor: Actor | null, extent?: Extent) => Promise<Row | undefined>;
}

/** Compiled once per descriptor: the statements have a fixed text and a name, so Postgres plans them once per connection. */
export function compileReads(model: Model, models: Models): Reads {
  const whole = { list: selected(model, models, 'list'), detail: selected(model, models, 'detail') };
  const pages = {
    list: statement(model, 'list', whole.list, anyKey(model)),
    detail: statement(model, 'detail', whole.detail, anyKey(model)),
  };
  const roles = rolesBeside(model);
  // a plan for many would be refused for one, and made anew each time
  const single = (columns: readonly string[]) => ({
    plain: statement(model, 'detail', columns, oneKey(model)),
    held: roles.length ? statement(model, 'detail', columns, oneKey(model), besideSql(roles, 'x', '$2')) : undefined,
  });
  const one = single(whole.detail);
  // few resources are asked for that
  let bare: typeof one | undefined;
  const keysOf = keyParameters(model);
  const keyOf = (id: number): unknown[] => keysOf([id]).map(([key]) => key);
  const restore = restoreValues(model);
  return {
    async rows(db, view, ids) {
      if (!ids.length) return [];
      const found =
        view === 'detail' && ids.length === 1
          ? await runPrepared<ReadRow>(db, one.plain, keyOf(ids[0]!))
          : await runPrepared<ReadRow>(db, pages[view], keysOf(ids));
      return found.map(({ row }) => restore(row));
    },
    async row(db, id, actor, extent = 'whole') {
      const { plain, held } = extent === 'whole' ? one : (bare ??= single(bareColumns(model)));
      const asks = actor && !actor.is_superuser && held;
      const [found] = asks
        ? await runPrepared<ReadRow>(db, held, [...keyOf(id), actor.id])
        : await runPrepared<ReadRow>(db, plain, keyOf(id));
      if (!found) return undefined;
      const row = restore(found.row);
      if (asks) keepBeside(row, actor, roles, found.beside);
      return row;
    },
  };
}

/** The columns that the resource's own rules look through for roles. */
function rolesBeside(model: Model): RoleColumn[] {
  if (model.resource.identity) return [];
  const read = new Set(readColumns(model, 'detail'));
  return roleColumns(rulesOf(model.resource)).filter(({ column }) => read.has(column));
}

const rulesOf = ({ access, rights = {}, actions = {} }: Resource) => [
  access.see,
  access.change,
  access.delete,
  ...Object.values(rights),
  ...Object.values(actions).flatMap((action) => Object.values(action.access)),
];

/** Each row comes as one JSON document: the driver's work per column is what a wide table costs most. */
function statement(model: Model, view: View, columns: readonly string[], key: string, beside?: string): Statement {
  const table = `from ${quote(model.table)} ${quote(alias)}`;
  const text = `select row_to_json(x) as row${beside ? `, ${beside} as beside` : ''} from (select ${columns.join(', ')} ${table}${joins(model)} where ${key}) x`;
  return { text, name: `${model.type}_${view}_${createHash('sha1').update(text).digest('hex').slice(0, 12)}` };
}

/** However many fields plugins add, they come with the row: one lookup by key for each plugin. */
const joins = ({ sides }: Model): string => sides.map((side) => ` ${joinSide(side, alias)}`).join('');

const zulu = (_: string, fraction?: string) => `${fraction?.padEnd(7, '0') ?? ''}Z`;

/** JSON knows no timestamps: `….12+00:00` becomes the `….120000Z` that the API shows. And summaries show nothing that is null. */
function restoreValues(model: Model): (row: Row) => Row {
  const instants = [
    ...[...model.columns].filter(([, type]) => type === 'timestamp with time zone').map(([name]) => name),
    ...[...model.fields.values()]
      .filter(({ kind, column, sql }) => kind === 'datetime' && !column && sql)
      .map(({ name }) => name),
    versionKey,
  ];
  const summaries = model.refs.map(({ name }) => summaryPrefix + name);
  return (row) => {
    for (const name of summaries) if (row[name]) row[name] = withoutNulls(row[name]);
    for (const name of instants) {
      const text = row[name];
      if (typeof text === 'string') row[name] = text.replace(/(\.\d+)?\+00:00$/, zulu);
    }
    return row;
  };
}

const withoutNulls = (summary: object) =>
  Object.values(summary).includes(null)
    ? Object.fromEntries(Object.entries(summary).filter(([, value]) => value !== null))
    : summary;

const list = (model: Model, named: ReadonlyMap<string, string>) =>
  [...named].map(([name, sql]) => `${exact(model, name, sql)} as ${quote(name)}`);

function stored(model: Model, view: View): Map<string, string> {
  const named = new Map<string, string>();
  for (const column of readColumns(model, view)) named.set(column, `${quote(alias)}.${quote(column)}`);
  return named.set('id', model.id(alias));
}

/** What the resource reads for its rules. */
function besides({ resource }: Model, named: Map<string, string>): Map<string, string> {
  for (const [name, sql] of Object.entries(resource.extraSql ?? {})) named.set(name, expand(sql, alias));
  return named;
}

/** The columns, those that plugins keep beside the table too, and what the resource reads for its rules. */
function bareColumns(model: Model): string[] {
  const named = stored(model, 'detail');
  for (const { name, column, joined } of model.shown.detail) if (joined) named.set(column ?? name, joined);
  return list(model, besides(model, named));
}

function selected(model: Model, models: Models, view: View): string[] {
  const named = stored(model, view);
  if (view === 'list') for (const [column, sql] of shortColumns(model)) named.set(column, sql);
  for (const field of model.shown[view])
    if ((!field.column || field.sealed) && field.sql)
      named.set(field.column ?? field.name, field.joined ?? field.sql(alias));
  besides(model, named);
  for (const ref of model.refs) {
    const sql = summarySql(models, ref.joined ? { ...ref, sql: () => ref.joined! } : ref, alias);
    if (sql) named.set(summaryPrefix + ref.name, sql);
  }
  if (view === 'detail' && model.columns.has('modified') && model.fields.get('modified')?.column !== 'modified')
    named.set(versionKey, `${quote(alias)}."modified"`);
  const naming = view === 'detail' ? namingColumns(models, model, alias) : [];
  if (naming.length) named.set(nameKey, `json_build_array(${naming.join(', ')})`);
  return list(model, named);
}

const longestInLists = 65_536;

/** Neither size needs the value itself to be read. */
function shortColumns({ fields }: Model): [column: string, sql: string][] {
  return [...fields.values()].flatMap(({ column, dataType, field }) => {
    if (!column || !field.shortInLists) return [];
    const [value, isJson] = [`${quote(alias)}.${quote(column)}`, dataType === 'jsonb'];
    const size = `${isJson ? 'pg_column_size' : 'octet_length'}(${value})`;
    return [[column, `case when ${size} <= ${longestInLists} then ${value} else ${isJson ? `'{}'` : `''`} end`]];
  });
}

/** Decimals stay texts with every digit: as JSON numbers they would lose their final zeros. */
function exact(model: Model, name: string, sql: string): string {
  const decimal = model.columns.get(name) === 'numeric' || model.fields.get(name)?.field.type === 'decimal';
  return decimal ? `(${sql})::text` : sql;
}

/** Everything in the table but secrets, binary data and what this view leaves out: rules and links may look at any of it. */
function readColumns(model: Model, view: View): string[] {
  const hidden = new Set(model.resource.hiddenColumns);
  const shown = new Set(model.shown[view].map(({ name }) => name));
  for (const { field, column, name } of model.fields.values()) {
    if (column && (field.secret || field.detailOnly) && !shown.has(name)) hidden.add(column);
  }
  return [...model.columns].filter(([name, type]) => type !== 'bytea' && !hidden.has(name)).map(([name]) => name);
}

/** The columns that make up the key, and their types. */
function keyColumns({ resource, columns }: Model): [name: string, type: string][] {
  if (!resource.identity) return [['id', 'bigint']];
  return Object.keys(resource.identity.columns(0)).map((column) => [column, columns.get(column) ?? 'bigint']);
}

const keyName = (column: string) => `${quote(alias)}.${quote(column)}`;

function anyKey(model: Model): string {
  const columns = keyColumns(model);
  if (columns.length === 1) return `${keyName(columns[0]![0])} = any ($1::${columns[0]![1]}[])`;
  const types = columns.map(([, type], index) => `$${index + 1}::${type}[]`);
  return `(${columns.map(([column]) => keyName(column)).join(', ')}) in (select * from unnest(${types.join(', ')}))`;
}

const oneKey = (model: Model) =>
  keyColumns(model)
    .map(([column, type], index) => `${keyName(column)} = $${index + 1}::${type}`)
    .join(' and ');

function keyParameters(model: Model): (ids: readonly number[]) => (readonly number[])[] {
  const { identity } = model.resource;
  if (!identity) return (ids) => [ids];
  return (ids) => {
    const keys = ids.map((id) => identity.columns(id));
    return Object.keys(identity.columns(0)).map((column) => keys.map((key) => key[column]!));
  };
}

/** Restricts a builder to rows of this type. */
export function ofType(model: Model, builder: Knex.QueryBuilder, name: string): void {
  for (const [column, value] of Object.entries(model.resource.where ?? {})) builder.where(`${name}.${column}`, value);
}
