import { ValidationError } from './errors.ts';
import type { Call } from './resource.ts';

/** A group of conditions of knex's query builder; nothing that is done in it reaches beyond the group. */
export interface Conditions {
  where(column: string, value: unknown): Conditions;
  where(column: string, operator: string, value: unknown): Conditions;
  whereNull(column: string): Conditions;
  whereIn(column: string, values: readonly unknown[]): Conditions;
  /** `?` in the text stands for a value, `??` for a name */
  whereRaw(sql: string, values?: readonly unknown[]): Conditions;
  orWhereRaw(sql: string, values?: readonly unknown[]): Conditions;
}

/** What a value of each type is when it reaches `narrow`: checked, never as it was sent. */
export interface ParameterValues {
  /** ISO 8601 in UTC; a date alone means its midnight */
  datetime: string;
  /** the same, and whether only the day was given */
  date: { at: string; wholeDay: boolean };
  boolean: boolean;
  integer: number;
  string: string;
  /** one of `choices` */
  choice: string;
}

export interface ParameterContext {
  /** of the resource's table */
  alias: string;
  call: Pick<Call, 'actor' | 'query'>;
  /** SQL of a field of the resource, also of one that an extension keeps beside it, or of a column of its table. @throws Error for any other name */
  sql: (name: string) => string;
}

interface ParameterOf<T extends keyof ParameterValues> {
  type: T;
  /** one sentence: which rows are left; OPTIONS and the API description say it */
  help: string;
  label?: string;
  /** of type `choice`: the legal values */
  choices?: readonly string[];
  /** of type `integer` */
  min?: number;
  max?: number;
  /** names that `narrow` asks `sql` for, so that a wrong one ends the start */
  needs?: readonly string[];
  /** Adds conditions at once; called for each time that the parameter was sent. */
  narrow: (conditions: Conditions, value: ParameterValues[T], context: ParameterContext) => void;
}

/**
 * A parameter of a list besides the filters of its fields: `?since=2026-01-31`. It holds wherever the type is listed, below
 * other records too, together with filters, search and order, and stays in the links between pages. A wrong value is
 * answered with 400. Its name must be free, or that of a field with `filterable: false`, whose filter it then is.
 */
export type Parameter = { [T in keyof ParameterValues]: ParameterOf<T> }[keyof ParameterValues];

const words = (name: string) => name.replace(/_id$/, '').replaceAll('_', ' ');

/** Keys of the query string of every list that are no filters of its fields. */
export const listParameters: ReadonlySet<string> = new Set([
  'page',
  'page_size',
  'format',
  'order',
  'order_by',
  'search',
  'type',
  'host_filter',
  'count_disabled',
  // the command line client's own, which it sends where it does not know that a list is one
  'all_pages',
  'no_truncate',
  'limit',
  'validate',
  'include',
  'role_level',
]);

/** Makers of the usual parameters. `name` is that of a field, or of a column of the table. */
export const parameter = {
  /** `?since=`: those at this time or later */
  since: (name: string): Parameter => ({
    type: 'datetime',
    help: `Those whose ${words(name)} is at this time or later.`,
    needs: [name],
    narrow: (conditions, at, { sql }) => void conditions.whereRaw(`${sql(name)} >= ?::timestamptz`, [at]),
  }),
  /** Two parameters, `date_from` and `date_to`: a day (UTC), which belongs to the range as a whole, or a time. */
  between: (name: string, { from = 'date_from', to = 'date_to' } = {}): Record<string, Parameter> => ({
    [from]: {
      type: 'date',
      help: `Those whose ${words(name)} is on this day (UTC) or later; or at this time or later.`,
      needs: [name],
      narrow: (conditions, { at }, { sql }) => void conditions.whereRaw(`${sql(name)} >= ?::timestamptz`, [at]),
    },
    [to]: {
      type: 'date',
      help: `Those whose ${words(name)} is on this day (UTC) or earlier; or at this time or earlier.`,
      needs: [name],
      narrow: (conditions, { at, wholeDay }, { sql }) =>
        void conditions.whereRaw(
          wholeDay ? `${sql(name)} < ?::timestamptz + interval '1 day'` : `${sql(name)} <= ?::timestamptz`,
          [at],
        ),
    },
  }),
  /** `?mine=true`: those whose `name` is the caller; `false` leaves all */
  mine: (name: string): Parameter => ({
    type: 'boolean',
    help: 'Only those of the caller.',
    needs: [name],
    narrow: (conditions, mine, { sql, call }) => {
      if (mine) conditions.whereRaw(`${sql(name)} = ?`, [call.actor?.id ?? null]);
    },
  }),
  /** Those whose JSON list (a jsonb column) holds the value; `emptyIsAll` where an empty list stands for every value. */
  memberOf: (name: string, choices: readonly string[], { emptyIsAll = false } = {}): Parameter => ({
    type: 'choice',
    choices,
    help: `Those whose ${words(name)} holds this${emptyIsAll ? ', or is empty, which means all' : ''}.`,
    needs: [name],
    narrow: (conditions, value, { sql }) => {
      conditions.whereRaw(`${sql(name)} @> ?::jsonb`, [JSON.stringify([value])]);
      if (emptyIsAll) conditions.orWhereRaw(`${sql(name)} = '[]'::jsonb`);
    },
  }),
};

/**
 * For the `validate` of a resource: that the list sent for a field holds nothing but these texts. `once`: and none of them twice.
 * @throws ValidationError under the field, naming the first that is wrong
 */
export function assertMembers(
  name: string,
  sent: readonly unknown[],
  choices: readonly string[],
  { once = false } = {},
): void {
  const unknown = sent.find((value) => !choices.includes(value as string));
  if (unknown !== undefined)
    throw ValidationError.field(name, `${JSON.stringify(unknown).slice(0, 100)} is none of ${choices.join(', ')}.`);
  if (once && new Set(sent).size < sent.length) throw ValidationError.field(name, 'It names one of them twice.');
}
