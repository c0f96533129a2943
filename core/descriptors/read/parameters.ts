import {
  type Call,
  listParameters,
  type Parameter,
  type ParameterContext,
  type ParameterValues,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Model, ModelField } from '../model.ts';
import { quote } from '../../db/quote.ts';
import { badFilter } from './filter-key.ts';
import { filterBoolean } from './filter-value.ts';
import { parseInstant, parseWhole, storable } from './scalar.ts';

/** Each narrows by joins and conditions that the planner has to look at. */
const mostTimes = 20;

/** Narrows a list by the parameters of its own that the query holds. @throws ApiError 400 naming the one that is wrong */
export function applyParameters(
  model: Model,
  call: Pick<Call, 'actor' | 'query'>,
  builder: Knex.QueryBuilder,
  alias: string,
): void {
  const context: ParameterContext = { alias, call, sql: (name) => namedSql(model, name, alias) };
  for (const [name, parameter] of Object.entries(model.resource.parameters ?? {})) {
    const texts = call.query.getAll(name);
    if (texts.length > mostTimes) throw badFilter(`${name}: more than ${mostTimes} times in one request.`);
    for (const text of texts) {
      const value = readers[parameter.type](name, text, parameter);
      // a group of its own, so that an `or` in it widens nothing
      builder.where((group) => (parameter.narrow as Narrow)(group, value, context));
    }
  }
}

type Narrow = (group: Knex.QueryBuilder, value: unknown, context: ParameterContext) => void;

const expected = (name: string, what: string, text: string) =>
  badFilter(`${name}: expected ${what} but got '${text}'.`);

function instant(name: string, text: string): string {
  const at = parseInstant(text);
  if (at === undefined) throw expected(name, 'a date such as 2026-01-31T12:00:00Z', text);
  return at;
}

type Readers = {
  [T in keyof ParameterValues]: (name: string, text: string, parameter: Parameter) => ParameterValues[T];
};

const readers: Readers = {
  datetime: instant,
  date: (name, text) => ({ at: instant(name, text), wholeDay: !text.includes(':') }),
  boolean: (name, value) => filterBoolean({ key: name, value }),
  integer(name, text, { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER }) {
    const number = parseWhole(text);
    if (number === undefined) throw expected(name, 'a number', text);
    if (number < BigInt(min) || number > BigInt(max)) throw expected(name, `a number from ${min} to ${max}`, text);
    return Number(number);
  },
  string(name, text) {
    if (!storable(text)) throw badFilter(`${name}: the value holds a character that cannot be stored.`);
    return text;
  },
  choice(name, text, { choices = [] }) {
    if (!choices.includes(text)) throw expected(name, `one of ${choices.join(', ')}`, text);
    return text;
  },
};

/** SQL of a field, or else of a column. */
function namedSql({ type, fields, columns }: Model, name: string, alias: string): string {
  const field = fields.get(name);
  if (field?.sql && !field.field.secret) return field.sql(alias);
  if (!field && columns.has(name)) return `${quote(alias)}.${quote(name)}`;
  throw new Error(`${type} has no field or column ${name} with a value to narrow by`);
}

/** The field that filters ask for by this name. */
function fieldCalled({ fields }: Model, name: string): ModelField | undefined {
  const link = fields.get(name.replace(/_id$/, ''));
  return fields.get(name === 'pk' ? 'id' : name) ?? (link?.kind === 'ref' ? link : undefined);
}

/**
 * The first parameter of a resource that cannot work, and why, for the start: everything that a query may hold must have one
 * meaning.
 */
export function parameterProblem(model: Model): { name: string; problem: string } | undefined {
  for (const [name, { needs = [] }] of Object.entries(model.resource.parameters ?? {})) {
    const clash = clashOf(model, name);
    if (clash) return { name, problem: `clashes: ${clash}: choose another name` };
    for (const needed of needs) {
      try {
        namedSql(model, needed, 'a');
      } catch (error) {
        return { name, problem: (error as Error).message };
      }
    }
  }
  return undefined;
}

function clashOf(model: Model, name: string): string | undefined {
  const { spans = {}, sublists = {} } = model.resource;
  if (listParameters.has(name)) return 'every list has a parameter of that name';
  if (name in spans || name in sublists) return 'filters follow a relation of that name';
  const field = fieldCalled(model, name);
  if (!field || field.field.filterable === false) return undefined;
  return 'filters ask for the field of that name, unless it is `filterable: false`';
}
