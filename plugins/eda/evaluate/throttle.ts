import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import type { Rule } from '../rule.ts';

type Throttled = Pick<Rule, 'id' | 'throttle_seconds'>;

/**
 * Takes the turn of a rule, or of one value of its `group_by`, by compare-and-set: of events on however many nodes one per
 * interval gets it. False: the interval is not over.
 */
export async function takeTurn(
  { table }: Pick<PluginApi, 'table'>,
  trx: Knex,
  { id, throttle_seconds: seconds }: Throttled,
  group: string | undefined,
): Promise<boolean> {
  const rules = table('event_rules');
  if (group !== undefined && seconds > 0) {
    const { rows } = await trx.raw<{ rows: unknown[] }>(
      `insert into ${table('throttle_groups')} as g (event_rule_id, value, last_fired_at) values (?, ?, clock_timestamp())
      on conflict (event_rule_id, value) do update set last_fired_at = excluded.last_fired_at
      where g.last_fired_at <= clock_timestamp() - ? * interval '1 second' returning 1`,
      [id, group, seconds],
    );
    if (!rows.length) return false;
  }
  const fired = { last_fired_at: trx.raw('clock_timestamp()'), fire_count: trx.raw('fire_count + 1') };
  const own = trx(rules).where({ id });
  if (group === undefined && seconds > 0)
    void own.whereRaw(`(last_fired_at is null or last_fired_at <= clock_timestamp() - ? * interval '1 second')`, [
      seconds,
    ]);
  return (await own.update(fired)) > 0;
}

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
