import type { Actor, Resource, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runBuilt } from '../db/prepared.ts';

/** The keys that a resource shows, each with the rule of the right that it stands for. */
export function capabilityRules({ type, access, rights, capabilities: keys = {} }: Resource): Record<string, Rule> {
  const named: Record<string, Rule | undefined> = { ...access, ...rights };
  return Object.fromEntries(
    Object.entries(keys).map(([key, right]) => {
      const rule = named[right];
      if (!rule) throw new Error(`capability ${key} of ${type}: it has no right ${right}`);
      return [key, rule];
    }),
  );
}

/** Its id, and a verdict for each rule. */
type CapabilityRow = { id: number } & Record<`r${number}`, boolean>;

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
      // about the row that is read anyway: to a second look at it Postgres joins who holds a role, and asks that for each row
      const allowed = db.queryBuilder().select(db.raw('1'));
      rule.query(actor, allowed, 't');
      return [`r${index}`, db.raw('exists ?', [allowed])];
    }),
  );
  const query = db.from(`${table} as t`).select('t.id', columns);
  // a plan for many would be refused for one, and made anew each time
  if (ids.length === 1) query.where('t.id', ids[0]!);
  else query.whereRaw('t.id = any (?)', [ids as number[]]);
  const found = await runBuilt<CapabilityRow>(db, query);
  return new Map(
    found.map((row) => [
      row.id,
      Object.fromEntries(keys.map((key) => [key, row[`r${distinct.indexOf(rules[key]!)}`]!])),
    ]),
  );
}
