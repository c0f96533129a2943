import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import type { Rule } from '../rule.ts';

type Throttled = Pick<Rule, 'id' | 'throttle_seconds'>;

/**
 * Takes the turns of a rule for events that matched, or of the values of its `group_by`, by compare-and-set: of events on however many
 * nodes one per interval gets it. Resolves to who did; false: the interval is not over.
 */
export async function takeTurns(
  { table }: Pick<PluginApi, 'table'>,
  trx: Knex,
  { id, throttle_seconds: seconds }: Throttled,
  groups: readonly (string | undefined)[],
): Promise<boolean[]> {
  const fired = (count: number) => ({
    last_fired_at: trx.raw('clock_timestamp()'),
    fire_count: trx.raw('fire_count + ?', [count]),
  });
  const own = trx(table('event_rules')).where({ id });
  const grouped = groups.filter((group) => group !== undefined);
  if (!seconds) return groups.map(has(await own.update(fired(groups.length))));
  if (!grouped.length) {
    const over = `(last_fired_at is null or last_fired_at <= clock_timestamp() - ? * interval '1 second')`;
    return groups.map(hasFirst(await own.whereRaw(over, [seconds]).update(fired(1))));
  }
  const { rows } = await trx.raw<{ rows: { value: string }[] }>(
    `insert into ${table('throttle_groups')} as g (event_rule_id, value, last_fired_at)
    select ?, value, clock_timestamp() from unnest(?::text[]) as value order by value
    on conflict (event_rule_id, value) do update set last_fired_at = excluded.last_fired_at
    where g.last_fired_at <= clock_timestamp() - ? * interval '1 second' returning value`,
    [id, [...new Set(grouped)], seconds],
  );
  if (rows.length) await own.update(fired(rows.length));
  const turns = new Set(rows.map(({ value }) => value));
  // the first event of each value
  return groups.map((group) => turns.delete(group!));
}

/** None where the rule is gone. */
const has = (rules: number) => () => rules > 0;
const hasFirst = (rules: number) => (_group: unknown, index: number) => rules > 0 && index === 0;

/** Whether the turn would be there, without taking it. */
export async function isThrottled(
  { db, table }: Pick<PluginApi, 'db' | 'table'>,
  { id, throttle_seconds: seconds }: Throttled,
  group: string | undefined,
): Promise<boolean> {
  if (seconds === 0) return false;
  const last =
    group === undefined
      ? db(table('event_rules')).where({ id })
      : db(table('throttle_groups')).where({ event_rule_id: id, value: group });
  return Boolean(
    await last.whereRaw(`last_fired_at > now() - ? * interval '1 second'`, [seconds]).first('last_fired_at'),
  );
}
