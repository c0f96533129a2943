import type { Knex } from 'knex';
import type { Actor, Rule } from './resource.ts';

/**
 * Access rules in row form and query form side by side, and the few ways to combine them. Those that
 * look at object roles come from `api.rules`. A query form states its truth for every row: a null
 * column means no, in both forms.
 */

/** What a rule is made of: it combines others, or asks one (`via`) of the record that `column` names. */
export type Parts =
  | { of: 'any' | 'all' | 'not'; rules: readonly Rule[] }
  | { of: 'via'; rules: readonly [Rule]; column: string; table: string };

/** Ids that a rule's sub-select stands for: those that `column` of a row must hold one of. `?` stands for each binding. */
export interface Ids {
  column: string;
  sql: string;
  bindings: readonly Knex.RawBinding[];
}

export interface CoreRule extends Rule {
  /** narrowed from outside, which superusers are not exempt from */
  readonly restricted?: boolean;
  /** explain-access shows them, and forms are offered by them */
  readonly parts?: Parts;
  /**
   * It is about the caller's roles on the record that `column` names: about the role `field`, by any path, or whether the caller
   * stands in the member list of one of `directly`.
   */
  asks?: { type: string; column: string; field?: string; directly?: readonly string[] };
  /**
   * The sub-select of the query form, stated: a list over many rows looks the ids up before it asks for the rows. Absent,
   * or undefined for a caller, where the query form looks nothing up.
   */
  ids?: (actor: Actor) => Ids | undefined;
  /** holds of no row where `column` has another value: rules that say so of one column exclude each other */
  fixes?: { column: string; value: string | number | boolean | null };
}

/** Every authenticated caller, every row. */
export const authenticated: CoreRule = {
  name: 'authenticated',
  row: async (actor) => actor !== null,
  query: (actor, builder) => void (actor ?? builder.whereRaw('false')),
};

/** Everybody, also without credentials; spelled out because it must be meant. */
export const everybody: Rule = { name: 'everybody', row: async () => true, query: () => undefined };

/** Nobody, the superuser included. */
export const nobody: CoreRule = {
  name: 'nobody',
  row: async () => false,
  query: (_actor, builder) => void builder.whereRaw('false'),
};

const test = (name: string, holds: (actor: Actor) => boolean): CoreRule => ({
  name,
  row: async (actor) => actor !== null && holds(actor),
  query: (actor, builder) => void (actor !== null && holds(actor) ? builder : builder.whereRaw('false')),
});

export const superuser = test('superuser', (actor) => actor.is_superuser);
export const auditor = test('superuser or auditor', (actor) => actor.is_superuser || actor.is_system_auditor);

/** The row belongs to the caller: `column` holds a user's id. */
export const owner = (column: string): CoreRule => ({
  name: `owner by ${column}`,
  row: async (actor, row) => actor !== null && Number(row[column]) === actor.id,
  query: (actor, builder, alias) => void builder.where(`${alias}.${column}`, actor?.id ?? -1),
});

/** The row's column has this value; null matches an empty one. */
export const columnIs = (column: string, value: string | number | boolean | null): CoreRule => ({
  name: `${column} is ${value}`,
  fixes: { column, value },
  row: async (_actor, row) => (row[column] ?? null) === value,
  query: (_actor, builder, alias) => void builder.where(`${alias}.${column}`, value),
});

export const anyOf = (...rules: Rule[]): CoreRule => ({
  name: rules.map((rule) => rule.name).join(' or '),
  parts: { of: 'any', rules },
  row: async (actor, row, db) => {
    for (const rule of rules) if (await rule.row(actor, row, db)) return true;
    return false;
  },
  query: (actor, builder, alias) =>
    void builder.where((some: Knex.QueryBuilder) => {
      for (const rule of rules)
        void some.orWhere((one) => {
          // a group without a condition would vanish and so allow nothing: state the truth it stands for
          one.whereRaw('true');
          rule.query(actor, one, alias);
        });
    }),
});

export const allOf = (...rules: Rule[]): CoreRule => ({
  name: rules.map((rule) => (rule.name.includes(' or ') ? `(${rule.name})` : rule.name)).join(' and '),
  parts: { of: 'all', rules },
  row: async (actor, row, db) => {
    for (const rule of rules) if (!(await rule.row(actor, row, db))) return false;
    return true;
  },
  query: (actor, builder, alias) => {
    for (const rule of rules)
      builder.where((one: Knex.QueryBuilder) => {
        one.whereRaw('true');
        rule.query(actor, one, alias);
      });
  },
});

export const not = (rule: Rule): CoreRule => ({
  name: `not (${rule.name})`,
  parts: { of: 'not', rules: [rule] },
  row: async (actor, row, db) => !(await rule.row(actor, row, db)),
  // not exists, since `not` over a null column would be null
  query: (actor, builder, alias) =>
    void builder.whereNotExists((inner: Knex.QueryBuilder) => {
      inner.select(inner.client.raw('1')).whereRaw('true');
      rule.query(actor, inner, alias);
    }),
});

/**
 * The rule holds for the row that `column` points at. An empty column allows nothing but the superuser,
 * who may do whatever has no owner left; `alsoEmpty` says that without a value there is nothing to check.
 */
export const via = (column: string, table: string, rule: Rule, { alsoEmpty = false } = {}): CoreRule => ({
  name: `${rule.name} by ${column}`,
  parts: { of: 'via', rules: [rule], column, table },
  row: async (actor, row, db) => {
    if (actor?.is_superuser && !(rule as CoreRule).restricted) return true;
    const id = row[column] ?? null;
    if (id === null) return actor?.is_superuser === true || (alsoEmpty && actor !== null);
    const parent = await connection(db, column)(table).where({ id }).first();
    return parent !== undefined && rule.row(actor, parent, db);
  },
  query: (actor, builder, alias) => {
    if (actor?.is_superuser && !(rule as CoreRule).restricted) return;
    builder.where((either: Knex.QueryBuilder) => {
      void either.whereIn(`${alias}.${column}`, (inner) => {
        inner.select(`${alias}_v.id`).from(`${table} as ${alias}_v`);
        rule.query(actor, inner, `${alias}_v`);
      });
      if (actor && (alsoEmpty || actor.is_superuser)) either.orWhereNull(`${alias}.${column}`);
    });
  },
});

/** @throws naming the rule when the caller forgot the connection: refusing silently would hide the mistake */
export function connection(db: Knex | undefined, what: string): Knex {
  if (!db)
    throw new Error(
      `The access rule on ${what} looks into the database: pass the connection or transaction as third argument of row().`,
    );
  return db;
}
