import type { Knex } from 'knex';
import { badFilter, type FilterTerm, type Lookup } from './filter-key.ts';
import { type ModelField, quote } from '../model.ts';
import { rankOf, rankSql } from './rank.ts';
import { parseInstant, parseNumber, parseWhole, storable } from './scalar.ts';

/** A condition on one row; `sql` may use the row's alias freely. */
export interface Condition {
  sql: (alias: string) => string;
  bindings: Knex.RawBinding[];
}

const always: Condition = { sql: () => 'true', bindings: [] };
const never: Condition = { sql: () => 'false', bindings: [] };
const biggest = 2n ** 63n - 1n;

const operators: Partial<Record<Lookup, string>> = { exact: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' };
const patterns: Partial<Record<Lookup, [string, (escaped: string) => string]>> = {
  contains: ['like', (text) => `%${text}%`],
  icontains: ['ilike', (text) => `%${text}%`],
  startswith: ['like', (text) => `${text}%`],
  istartswith: ['ilike', (text) => `${text}%`],
  endswith: ['like', (text) => `%${text}`],
  iendswith: ['ilike', (text) => `%${text}`],
};

export const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');

export function filterBoolean(term: Pick<FilterTerm, 'key' | 'value'>): boolean {
  if (/^(true|1|t)$/i.test(term.value)) return true;
  if (/^(false|0|f)$/i.test(term.value)) return false;
  throw badFilter(`${term.key}: '${term.value}' is not a boolean: use true or false.`);
}

/** What a term says about its field, as SQL. Throws 400 where lookup, type and value do not fit together. */
export function fieldCondition(field: ModelField, term: FilterTerm): Condition {
  const { lookup, value, key } = term;
  const { besideSql } = field;
  if (besideSql) {
    const of = (sql: string) => fieldCondition({ ...field, besideSql: undefined, sql: () => sql }, term);
    const { bindings } = of('null');
    return {
      sql: (alias) => besideSql(alias, (sql) => of(sql).sql(alias)),
      bindings: [...bindings, ...bindings],
    };
  }
  if (!storable(value)) throw badFilter(`${key}: the value holds a character that cannot be stored.`);
  const sql = field.sql!;
  if (lookup === 'isnull')
    return { sql: (alias) => `${sql(alias)} is ${filterBoolean(term) ? '' : 'not '}null`, bindings: [] };
  if (lookup === 'search') throw badFilter(`${key}: search works behind a relation only.`);
  if (lookup === 'in') return inCondition(field, term);
  const pattern = patterns[lookup];
  if (pattern) return patternCondition(field, term, pattern);
  if (lookup === 'iexact') {
    if (field.kind !== 'text') throw badFilter(`${key}: iexact works on texts only.`);
    return { sql: (alias) => `lower(${asText(field, alias)}) = lower(?)`, bindings: [value] };
  }
  if (lookup !== 'exact' && ['boolean', 'json', 'other', 'ref'].includes(field.kind))
    throw badFilter(`${key}: ${lookup} does not work on this kind of field.`);
  const operator = operators[lookup]!;
  return field.field.ranked && lookup !== 'exact'
    ? compareRanks(field, term, operator)
    : compare(field, term, operator);
}

function compareRanks({ field, sql }: ModelField, { key, value }: FilterTerm, operator: string): Condition {
  const rank = rankOf(field, value);
  if (!rank) return refuse(key, value, `one of ${(field.choices ?? []).map(([choice]) => choice).join(', ')}`);
  return { sql: (alias) => `${rankSql(field, sql!(alias))} ${operator} ?::integer`, bindings: [rank] };
}

function patternCondition(
  field: ModelField,
  { key, value }: FilterTerm,
  [operator, wrap]: [string, (text: string) => string],
): Condition {
  if (field.kind === 'ref') throw badFilter(`${key}: a link holds an id: name one of its fields.`);
  return { sql: (alias) => `${asText(field, alias)} ${operator} ?`, bindings: [wrap(escapeLike(value))] };
}

function compare(field: ModelField, term: FilterTerm, operator: string): Condition {
  const { kind } = field;
  const sql = field.sql!;
  if (kind === 'integer' || kind === 'ref') {
    const number = wholeValue(term.key, term.value);
    if (number > biggest || number < -biggest) return beyondRange(number > 0n, operator);
    if (field.key && operator === '=') return keyIn(field.key, [number]);
    return { sql: (alias) => `${sql(alias)} ${operator} ?::bigint`, bindings: [String(number)] };
  }
  const { cast, read } = readers[kind];
  return {
    sql: (alias) => `${cast ? sql(alias) : asText(field, alias)} ${operator} ?${cast}`,
    bindings: [read(term.key, term.value)],
  };
}

/** No stored number is that large: only the direction of the comparison matters. */
const beyondRange = (positive: boolean, operator: string) =>
  operator === '=' || positive === operator.startsWith('>') ? never : always;

function inCondition(field: ModelField, { key, value }: FilterTerm): Condition {
  if (!value) throw badFilter(`${key}: the list of values is empty.`);
  const items = value.split(',');
  if (field.kind === 'integer' || field.kind === 'ref') {
    const inRange = items
      .map((item) => wholeValue(key, item))
      .filter((number) => number <= biggest && number >= -biggest);
    if (field.key) return keyIn(field.key, inRange);
    return { sql: (alias) => `${field.sql!(alias)} = any (?::bigint[])`, bindings: [inRange.map(String)] };
  }
  const { cast, read } = readers[field.kind];
  return {
    sql: (alias) => `${cast ? field.sql!(alias) : asText(field, alias)} = any (?${cast || '::text'}[])`,
    bindings: [items.map((item) => read(key, item))],
  };
}

/** By the columns behind the id, so that their key serves. */
function keyIn(key: NonNullable<ModelField['key']>, ids: bigint[]): Condition {
  const keys = ids.filter((id) => id >= 0n && id <= Number.MAX_SAFE_INTEGER).map((id) => key(Number(id)));
  if (!keys.length) return never;
  const columns = Object.keys(keys[0]!);
  return {
    sql: (alias) =>
      `(${columns.map((column) => `${quote(alias)}.${quote(column)}`).join(', ')}) in (${keys.map(() => `(${columns.map(() => '?').join(', ')})`).join(', ')})`,
    bindings: keys.flatMap((one) => columns.map((column) => one[column]!)),
  };
}

function wholeValue(key: string, text: string): bigint {
  const number = parseWhole(text);
  if (number === undefined) throw badFilter(`${key}: expected a number but got '${text}'.`);
  return number;
}

const asIs = { cast: '', read: (_key: string, text: string) => text };
const readers = {
  text: asIs,
  json: asIs,
  other: asIs,
  number: {
    cast: '::numeric',
    read: (key: string, text: string) => parseNumber(text) ?? refuse(key, text, 'a number'),
  },
  boolean: { cast: '::boolean', read: (key: string, value: string) => String(filterBoolean({ key, value })) },
  datetime: {
    cast: '::timestamptz',
    read: (key: string, text: string) => parseInstant(text) ?? refuse(key, text, 'a date such as 2026-01-31T12:00:00Z'),
  },
};

function refuse(key: string, text: string, expected: string): never {
  throw badFilter(`${key}: expected ${expected} but got '${text}'.`);
}

/** JSON, arrays, uuids and numbers compare as the text they are shown as. */
export function asText(field: ModelField, alias: string): string {
  const sql = field.sql!(alias);
  return field.kind === 'text' && (!field.dataType || field.dataType === 'text') ? sql : `(${sql})::text`;
}
