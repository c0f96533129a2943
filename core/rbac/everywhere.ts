import type { Actor, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { CoreRule } from './rules.ts';

/** Whether the actor passes the rule on every row there is, as far as the rule tells without looking at rows. */
export function holdsEverywhere(db: Knex, rule: Rule, actor: Actor | null): boolean {
  const { parts } = rule as CoreRule;
  if (parts?.of === 'any') return parts.rules.some((part) => holdsEverywhere(db, part, actor));
  if (parts?.of === 'all') return parts.rules.every((part) => holdsEverywhere(db, part, actor));
  const rows = db.queryBuilder();
  rule.query(actor, rows, 't');
  return rows.toSQL().sql === db.queryBuilder().toSQL().sql;
}
