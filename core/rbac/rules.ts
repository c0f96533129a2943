import type { Actor, Rule } from '@tapline/plugin-sdk';

/**
 * Access rules in row form and query form side by side. Object roles join these in the access issue;
 * until then an ordinary user sees what is its own and what is public to every login.
 */

/** Every authenticated caller, every row. */
export const authenticated: Rule = {
  name: 'authenticated',
  row: (actor) => actor !== null,
  query: (actor, builder) => void (actor ?? builder.whereRaw('false')),
};

/** Everybody, also without credentials; spelled out because it must be meant. */
export const everybody: Rule = { name: 'everybody', row: () => true, query: () => undefined };

const test = (name: string, holds: (actor: Actor) => boolean): Rule => ({
  name,
  row: (actor) => actor !== null && holds(actor),
  query: (actor, builder) => void (actor !== null && holds(actor) ? builder : builder.whereRaw('false')),
});

export const superuser = test('superuser', (actor) => actor.is_superuser);
export const auditor = test('superuser or auditor', (actor) => actor.is_superuser || actor.is_system_auditor);

/** The row belongs to the caller: `column` holds a user's id. */
export const owner = (column: string): Rule => ({
  name: `owner by ${column}`,
  row: (actor, row) => actor !== null && Number(row[column]) === actor.id,
  query: (actor, builder, alias) => void builder.where(`${alias}.${column}`, actor?.id ?? -1),
});

export const anyOf = (...rules: Rule[]): Rule => ({
  name: rules.map((rule) => rule.name).join(' or '),
  row: async (actor, row) => {
    for (const rule of rules) if (await rule.row(actor, row)) return true;
    return false;
  },
  query: (actor, builder, alias) =>
    void builder.where((any: any) => {
      for (const rule of rules) any.orWhere((one: any) => {
        // a group without a condition would vanish and so allow nothing: state the truth it stands for
        one.whereRaw('true');
        rule.query(actor, one, alias);
      });
    }),
});
