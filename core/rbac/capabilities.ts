import type { Actor, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runPrepared, statement } from '../engine/prepared.ts';
import type { Permissions } from './permissions.ts';

/** Which right each key of `user_capabilities` stands for; the order is the one shown. */
const capabilityRights: Record<string, Record<string, string>> = {
  user: { edit: 'change', delete: 'delete' },
  organization: { edit: 'change', delete: 'delete' },
  team: { edit: 'change', delete: 'delete' },
  credential_type: { edit: 'change', delete: 'delete' },
  instance_group: { edit: 'change', delete: 'delete' },
  host: { edit: 'change', delete: 'delete' },
  group: { copy: 'copy', edit: 'change', delete: 'delete' },
  project: { start: 'start', schedule: 'start', edit: 'change', delete: 'delete', copy: 'copy' },
  inventory: { edit: 'change', delete: 'delete', adhoc: 'adhoc', copy: 'copy' },
  credential: { edit: 'change', delete: 'delete', copy: 'copy', use: 'use' },
  job_template: { start: 'start', schedule: 'start', edit: 'change', copy: 'copy', delete: 'delete' },
  job: { start: 'start', delete: 'delete' },
  project_update: { start: 'start', delete: 'delete' },
  instance: { edit: 'change' },
  o_auth2_application: { edit: 'change', delete: 'delete' },
};

/** The keys shown for a type: capability → rule; undefined for types that show none. */
export function capabilityRules(
  permissions: Record<string, Permissions>,
  type: string,
): Record<string, Rule> | undefined {
  const rights = capabilityRights[type];
  const own = permissions[type];
  if (!rights || !own) return undefined;
  return Object.fromEntries(
    Object.entries(rights).map(([key, right]) => {
      const rule = own[right];
      if (!rule) throw new Error(`capability ${key} of ${type}: permissions.ts has no rule ${right}`);
      return [key, rule];
    }),
  );
}

/**
 * `user_capabilities` of a page of rows in one statement, by the query forms of the rules that guard the actions.
 *
 * @param table the rows' table, whose key is `id`
 */
export async function capabilities(
  db: Knex,
  actor: Actor | null,
  table: string,
  rules: Record<string, Rule>,
  ids: readonly number[],
): Promise<Map<number, Record<string, boolean>>> {
  const keys = Object.keys(rules);
  const none = Object.fromEntries(keys.map((key) => [key, false]));
  if (!ids.length || !keys.length) return new Map();
  if (!actor || actor.read_only) return new Map(ids.map((id) => [id, { ...none }]));
  const distinct = [...new Set(Object.values(rules))];
  const columns = Object.fromEntries(
    distinct.map((rule, index) => {
      const rows = db.from(`${table} as c`).select(db.raw('1')).whereRaw('c.id = t.id');
      rule.query(actor, rows, 'c');
      return [`r${index}`, db.raw('exists ?', [rows])];
    }),
  );
  const query = db.from(`${table} as t`).select('t.id', columns as any);
  // a plan for many would be refused for one, and made anew each time
  if (ids.length === 1) query.where('t.id', ids[0]!);
  else query.whereRaw('t.id = any (?)', [ids as number[]]);
  const { sql, bindings } = query.toSQL().toNative();
  const found = await runPrepared(db, statement(sql), bindings);
  return new Map(
    found.map((row: any) => [
      row.id,
      Object.fromEntries(keys.map((key) => [key, row[`r${distinct.indexOf(rules[key]!)}`]])),
    ]),
  );
}
