import type { Actor, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type RoleType, roleTables } from '../../rbac/definitions.ts';
import type { CoreRule } from '../../rbac/rules.ts';

/**
 * Is there anything for which the actor would pass this rule on create? It is asked before there is a body: a rule on
 * the record that a column names holds when some such record would do, or when that of `fixed` does: columns that the
 * place gives.
 */
export async function mayCreateSomewhere(
  db: Knex,
  rule: CoreRule,
  actor: Actor | null,
  fixed: Record<string, unknown> = {},
): Promise<boolean> {
  if (!actor || actor.read_only) return false;
  const { asks, parts } = rule;
  const column = asks?.column ?? (parts?.of === 'via' ? parts.column : undefined);
  if (column !== undefined && Object.hasOwn(fixed, column)) return rule.row(actor, fixed, db);
  if (asks?.field !== undefined) return asks.column === 'id' ? actor.is_superuser : someParent(db, rule, asks, actor);
  switch (parts?.of) {
    case 'any':
      for (const part of parts.rules) if (await mayCreateSomewhere(db, part, actor, fixed)) return true;
      return false;
    case 'all':
      for (const part of parts.rules) if (!(await mayCreateSomewhere(db, part, actor, fixed))) return false;
      return true;
    case 'via':
      return someRow(db, parts.table, parts.rules[0], actor);
    case 'not':
      return true;
    default:
      // what it would make is the caller's own
      return rule.row(actor, { user_id: actor.id, created_by_id: actor.id, ...fixed }, db);
  }
}

async function someRow(db: Knex, table: string, rule: Rule, actor: Actor): Promise<boolean> {
  if (actor.is_superuser) return true;
  const rows = db.from(`${table} as t`).select(db.raw('1')).limit(1);
  rule.query(actor, rows, 't');
  return (await rows).length > 0;
}

/** The rule is about the record under `column`: every record of that type is tried as one that points at itself. */
async function someParent(
  db: Knex,
  rule: Rule,
  { type, column }: { type: string; column: string },
  actor: Actor,
): Promise<boolean> {
  if (actor.is_superuser || (await rule.row(actor, {}, db))) return true;
  const { table, kind } = roleTables[type as RoleType];
  const records = db.from(table).select({ [column]: 'id' });
  if (kind) records.where({ kind });
  const rows = db.from(records.as('t')).select(db.raw('1')).limit(1);
  rule.query(actor, rows, 't');
  return (await rows).length > 0;
}
