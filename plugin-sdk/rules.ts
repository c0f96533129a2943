import type { Actor, Rule } from './resource.ts';

/**
 * Access rules in row form and query form side by side, and the few ways to combine them. Those that
 * look at object roles come from `api.rules`. A query form states its truth for every row: a null
 * column means no, in both forms.
 */

/** What explain-access may say about a rule: what it is made of. */
export type Anatomy =
  | { kind: 'any' | 'all'; rules: readonly Rule[] }
  | { kind: 'not'; rule: Rule }
  | { kind: 'via'; column: string; table: string; rule: Rule }
  | { kind: 'role'; type: string; field: string; column: string }
  /** a seat in the member list of one of these roles of the organization under `column` */
  | { kind: 'direct'; fields: readonly string[]; column: string }
  /** the caller and the row decide it alone */
  | { kind: 'own' };

export interface CoreRule extends Rule {
  /** narrowed from outside, which superusers are not exempt from */
  readonly restricted?: boolean;
  anatomy?: Anatomy;
}

/** Every authenticated caller, every row. */
export const authenticated: CoreRule = {
  name: 'authenticated',
  anatomy: { kind: 'own' },
  row: (actor) => actor !== null,
  query: (actor, builder) => void (actor ?? builder.whereRaw('false')),
};

/** Everybody, also without credentials; spelled out because it must be meant. */
export const everybody: Rule = { name: 'everybody', row: () => true, query: () => undefined };

/** Nobody, the superuser included. */
export const nobody: CoreRule = {
  name: 'nobody',
  anatomy: { kind: 'own' },
  row: () => false,
  query: (_actor, builder) => void builder.whereRaw('false'),
};

const test = (name: string, holds: (actor: Actor) => boolean): CoreRule => ({
  name,
  anatomy: { kind: 'own' },
  row: (actor) => actor !== null && holds(actor),
  query: (actor, builder) => void (actor !== null && holds(actor) ? builder : builder.whereRaw('false')),
});

export const superuser = test('superuser', (actor) => actor.is_superuser);
export const auditor = test('superuser or auditor', (actor) => actor.is_superuser || actor.is_system_auditor);

/** The row belongs to the caller: `column` holds a user's id. */
export const owner = (column: string): CoreRule => ({
  name: `owner by ${column}`,
  anatomy: { kind: 'own' },
  row: (actor, row) => actor !== null && Number(row[column]) === actor.id,
  query: (actor, builder, alias) => void builder.where(`${alias}.${column}`, actor?.id ?? -1),
});

/** The row's column has this value; null matches an empty one. */
export const columnIs = (column: string, value: string | number | boolean | null): CoreRule => ({
  name: `${column} is ${value}`,
  anatomy: { kind: 'own' },
  row: (_actor, row) => (row[column] ?? null) === value,
  query: (_actor, builder, alias) => void builder.where(`${alias}.${column}`, value),
});

/**
 * One rule that says `decisive` is enough. Waits only where a rule does: most know at once, and waiting for what is there
 * already is a good part of what a small request costs.
 */
function decide(
  rules: readonly Rule[],
  decisive: boolean,
  ...[actor, row, db]: Parameters<Rule['row']>
): boolean | Promise<boolean> {
  for (const [index, rule] of rules.entries()) {
    const found = rule.row(actor, row, db);
    if (typeof found !== 'boolean')
      return Promise.resolve(found).then((later) =>
        Boolean(later) === decisive ? decisive : decide(rules.slice(index + 1), decisive, actor, row, db),
      );
    if (found === decisive) return decisive;
  }
  return !decisive;
}

export const anyOf = (...rules: Rule[]): CoreRule => ({
  name: rules.map((rule) => rule.name).join(' or '),
  anatomy: { kind: 'any', rules },
  row: (actor, row, db) => decide(rules, true, actor, row, db),
  query: (actor, builder, alias) =>
    void builder.where((any: any) => {
      for (const rule of rules)
        any.orWhere((one: any) => {
          // a group without a condition would vanish and so allow nothing: state the truth it stands for
          one.whereRaw('true');
          rule.query(actor, one, alias);
        });
    }),
});

export const allOf = (...rules: Rule[]): CoreRule => ({
  name: rules.map((rule) => (rule.name.includes(' or ') ? `(${rule.name})` : rule.name)).join(' and '),
  anatomy: { kind: 'all', rules },
  row: (actor, row, db) => decide(rules, false, actor, row, db),
  query: (actor, builder, alias) => {
    for (const rule of rules)
      builder.where((one: any) => {
        one.whereRaw('true');
        rule.query(actor, one, alias);
      });
  },
});

export const not = (rule: Rule): CoreRule => ({
  name: `not (${rule.name})`,
  anatomy: { kind: 'not', rule },
  row: async (actor, row, db) => !(await rule.row(actor, row, db)),
  // not exists, since `not` over a null column would be null
  query: (actor, builder, alias) =>
    void builder.whereNotExists((inner: any) => {
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
  anatomy: { kind: 'via', column, table, rule },
  row: async (actor, row, db) => {
    if (actor?.is_superuser && !(rule as CoreRule).restricted) return true;
    const id = row[column] ?? null;
    if (id === null) return actor?.is_superuser === true || (alsoEmpty && actor !== null);
    const parent = await connection(db, column)(table).where({ id }).first();
    return parent !== undefined && rule.row(actor, parent, db);
  },
  query: (actor, builder, alias) => {
    if (actor?.is_superuser && !(rule as CoreRule).restricted) return;
    builder.where((either: any) => {
      either.whereIn(`${alias}.${column}`, (inner: any) => {
        inner.select(`${alias}_v.id`).from(`${table} as ${alias}_v`);
        rule.query(actor, inner, `${alias}_v`);
      });
      if (actor && (alsoEmpty || actor.is_superuser)) either.orWhereNull(`${alias}.${column}`);
    });
  },
});

/** @throws naming the rule when the caller forgot the connection: refusing silently would hide the mistake */
export function connection(db: any, what: string): any {
  if (!db)
    throw new Error(
      `The access rule on ${what} looks into the database: pass the connection or transaction as third argument of row().`,
    );
  return db;
}
