import type { Actor, Extension, Field, Resource, Rule } from '@tapline/plugin-sdk';
import { callers } from '@tapline/plugin-sdk/checks';
import type { Knex } from 'knex';
import { quote } from '../db/quote.ts';
import type { Catalog, Compiled } from './compile.ts';
import { expand, type ModelField } from './model.ts';
import { applyOrder } from './read/order.ts';
import { searchConditions } from './read/search.ts';

/** A part of what requests ask the database for, to be tried before there are any. */
export interface Probe {
  /** of the declaration: `access.see`, `the SQL of field open_now` */
  part: string;
  /** @throws what a rule of the declaration throws */
  sql: () => string;
}

export interface Probes {
  /** all parts in a few statements; another part may be in their way, so that a refusal is none of theirs */
  together: () => string[];
  apart: Probe[];
}

/** Another than any that requests use: whatever does not go by the alias that it is given does not pass. */
const alias = 'own';
type Narrowing = readonly [part: string, narrow: (rows: Knex.QueryBuilder, actor: Actor) => void];
type Value = readonly [part: string, name: string, sql: string];

/** Of a resource; `declared` has its rules as they were before others narrowed them. */
export function probesOf(catalog: Catalog, declared: Resource): Probes {
  const model = catalog.type(declared.type);
  const values = [...valuesOf([...model.fields.values()]), ...furtherValues(model)];
  const table = tableOf(model);
  const rowLike = rowsAsRulesSeeThem(model, values);
  const [onRows, onRowLike] = [[...rulesOnRows(declared), asListed(catalog, model)], rulesOnRowLike(declared)];
  return {
    together: () => [
      narrowed(catalog, table, onRows),
      ...(values.length || onRowLike.length ? [narrowed(catalog, rowLike, onRowLike)] : []),
    ],
    apart: [
      ...valueProbes(table, values),
      ...onRows.map((one) => ({ part: one[0], sql: () => narrowed(catalog, table, [one]) })),
      ...onRowLike.map((one) => ({ part: one[0], sql: () => narrowed(catalog, rowLike, [one]) })),
    ],
  };
}

/** Of fields and actions that were added to a resource. */
export function addedProbes(catalog: Catalog, type: string, { fields = {}, actions = {} }: Extension): Probes {
  const model = catalog.type(type);
  const table = tableOf(model);
  const values = valuesOf(Object.keys(fields).flatMap((name) => model.fields.get(name) ?? []));
  const added = rules([...readRules(fields), ...actionRules(actions)]);
  return {
    apart: [
      ...valueProbes(table, values),
      ...added.map((one) => ({ part: one[0], sql: () => narrowed(catalog, table, [one]) })),
    ],
    together: () => [
      ...(values.length ? [select(table, values)] : []),
      ...(added.length ? [narrowed(catalog, table, added)] : []),
    ],
  };
}

/** Of a further condition on which rows of a type there are. */
export function restrictionProbes(catalog: Catalog, type: string, restriction: Pick<Rule, 'query'>): Probes {
  const sql = () => narrowed(catalog, tableOf(catalog.type(type)), rules([['its query form', restriction]]));
  return { together: () => [sql()], apart: [{ part: 'its query form', sql }] };
}

const tableOf = ({ table }: Compiled) => `${quote(table)} as ${quote(alias)}`;

const select = (table: string, values: readonly Value[]) =>
  `select ${values.map(([, , sql]) => sql).join(', ')} from ${table}`;

const valueProbes = (table: string, values: readonly Value[]): Probe[] =>
  values.map((value) => ({ part: value[0], sql: () => select(table, [value]) }));

const valuesOf = (fields: readonly ModelField[]): Value[] =>
  fields.flatMap(({ name, column, sql, field: { orderSql, searchSql } }): Value[] => [
    ...(sql && column === undefined ? [[`the SQL of field ${name}`, name, sql(alias)] as const] : []),
    ...(orderSql ? [[`orderSql of field ${name}`, `@${name}`, expand(orderSql, alias)] as const] : []),
    ...(searchSql ? [[`searchSql of field ${name}`, `?${name}`, expand(searchSql, alias)] as const] : []),
  ]);

const furtherValues = ({ resource: { extraSql = {}, identity } }: Compiled): Value[] => [
  ...Object.entries(extraSql).map(([name, sql]): Value => [`extraSql.${name}`, name, expand(sql, alias)]),
  ...(identity ? [['the SQL of identity', 'id', expand(identity.sql, alias)] as const] : []),
];

/** Rows that every narrowing, for every caller, lets through. */
function narrowed({ db }: Catalog, source: string, narrowings: readonly Narrowing[]): string {
  // a question mark would be taken for the place of a value
  const rows = db.from(db.raw(source.replaceAll('?', '\\?'))).select(db.raw('1'));
  for (const [, narrow] of narrowings) for (const actor of callers) narrow(rows, actor);
  return rows.toSQL().toNative().sql;
}

const rules = (named: readonly (readonly [part: string, rule: Pick<Rule, 'query'> | undefined])[]): Narrowing[] =>
  named.flatMap(([part, rule]) =>
    rule ? [[part, (rows, actor) => rule.query(actor, rows, alias)] satisfies Narrowing] : [],
  );

/** Their query forms are asked over the table itself. */
const rulesOnRows = ({ access, fields }: Resource): Narrowing[] =>
  rules([
    ['access.see', access.see],
    ['access.change', access.change],
    ['access.delete', access.delete],
    ...readRules(fields),
  ]);

const readRules = (fields: Record<string, Field>) =>
  Object.entries(fields).map(([name, { read }]) => [`the rule for reading field ${name}`, read] as const);

const actionRules = (actions: NonNullable<Resource['actions']>) =>
  Object.entries(actions).flatMap(([name, action]) =>
    Object.entries(action.access).map(([method, rule]) => [`${method} of the action ${name}`, rule] as const),
  );

const rulesOnRowLike = ({ access, actions = {}, sublists = {} }: Resource): Narrowing[] =>
  rules([
    ['access.create', access.create],
    ...actionRules(actions),
    ...Object.entries(sublists).flatMap(([name, { write, createRule }]) => [
      [`the rule for writing ${name}`, write] as const,
      [`the rule for creating in ${name}`, createRule] as const,
    ]),
  ]);

/** What lists do besides: leave out, search, order. */
const asListed = ({ db, models }: Catalog, model: Compiled): Narrowing => [
  'its list',
  (builder, actor) => {
    const { listed, orderBy } = model.resource;
    listed?.(builder, alias);
    for (const { sql, bindings } of searchConditions(model, 'word')) builder.whereRaw(sql(alias), bindings);
    applyOrder({ db, models, builder, actor }, model, new URLSearchParams(), alias, orderBy);
  },
];

/** Rules on what is written, and on actions, get rows with what reads put beside the columns, and with what clients send. */
function rowsAsRulesSeeThem(model: Compiled, values: readonly Value[]): string {
  const { columns, fields } = model;
  const sent = [...fields.values()]
    .filter(({ column, sql }) => column === undefined && !sql)
    .map(({ name, field }): Value => ['', name, `null::${inputTypes[field.type] ?? 'text'}`]);
  const besides = [...values, ...sent].filter(([, name]) => !columns.has(name));
  const added = new Map(besides.map(([, name, sql]) => [name, `, ${sql} as ${quote(name)}`]));
  return `(select ${quote(alias)}.*${[...added.values()].join('')} from ${tableOf(model)}) as ${quote(alias)}`;
}

const inputTypes: Partial<Record<Field['type'], string>> = {
  integer: 'bigint',
  ref: 'bigint',
  number: 'numeric',
  decimal: 'numeric',
  boolean: 'boolean',
  datetime: 'timestamptz',
  json: 'jsonb',
  list: 'jsonb',
};
