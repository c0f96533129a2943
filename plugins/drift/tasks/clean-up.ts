import type { PluginApi, TaskContext } from '@tapline/plugin-sdk';

/**
 * How many are looked at in one transaction: none that holds up others, and none that comes near the time in which a statement is
 * ended, whether much of it goes or all of it stays.
 */
const together = 1000;

/** Rows of `from` in the order of `by` and id; those among them that `goes` holds of are deleted. */
interface Walk {
  from: string;
  /** an indexed column of times, or the id alone */
  by?: 'captured_at' | 'created';
  /** over them as `s`: which are looked at */
  old?: string;
  /** over the id and `asked` of those, as `s` */
  goes: string;
  asked?: string;
  bindings?: Record<string, string>;
}

/**
 * Deletes old snapshots, but for the newest of each host, those that are pinned, and those that drift which nobody acknowledged points at. Alerts of whose
 * message nothing was heard for a day have failed: their notification went with its template.
 */
export async function cleanUp(api: PluginApi, context: TaskContext): Promise<void> {
  const { db, table, settings } = api;
  await db(table('alerts'))
    .where({ notification_status: 'pending' })
    .whereRaw(`created < now() - interval '1 day'`)
    .update({ notification_status: 'failed', notification_error: 'Nothing was heard of its notification.' });
  const drift = settings.get('DRIFT_RETENTION_DAYS', 0);
  if (drift > 0) await endDrift(api, context, drift);
  const days = settings.get('FACT_SNAPSHOT_RETENTION_DAYS', 90);
  if (days === 0) return;
  await walk(api, context, {
    from: 'snapshots',
    by: 'captured_at',
    asked: 'host_id',
    old: 's.captured_at < :before::timestamptz',
    goes: `s.id < (select max(n.id) from ${table('snapshots')} n where n.host_id = s.host_id)
      and not exists (select from ${table('detections')} d where d.snapshot_before_id = s.id and not d.acknowledged)
      and not exists (select from ${table('detections')} d where d.snapshot_after_id = s.id and not d.acknowledged)
      and not exists (select from ${table('host_baselines')} b where b.drift_baseline_id = s.id)
      and not exists (select from ${table('group_baselines')} b where b.drift_baseline_id = s.id)`,
    bindings: { before: await timeBefore(api, days) },
  });
  const goes = `not exists (select from ${table('snapshots')} n where n.base_id = s.id)`;
  await walk(api, context, { from: 'bases', goes });
}

/** Drift that somebody acknowledged and alerts, when no rule looks back on them any more. */
async function endDrift(api: PluginApi, context: TaskContext, days: number): Promise<void> {
  const rules = `select max(greatest(threshold_window_minutes, cooldown_minutes)) as minutes from ${api.table('alert_rules')}`;
  const longest = Number((await api.db.raw(rules)).rows[0].minutes) / 1440;
  const before = await timeBefore(api, Math.max(days, longest));
  const old = 's.created < :before::timestamptz';
  const parts = { by: 'created', old, bindings: { before } } as const;
  await walk(api, context, { from: 'detections', ...parts, asked: 'acknowledged', goes: 's.acknowledged' });
  const told = `s.notification_status <> 'pending'`;
  await walk(api, context, { from: 'alerts', ...parts, asked: 'notification_status', goes: told });
}

const timeBefore = async ({ db }: PluginApi, days: number): Promise<string> =>
  (await db.raw(`select (now() - make_interval(secs => ?::float8 * 86400))::text as time`, [days])).rows[0].time;

/**
 * From where the last portion ended, so that what stays is looked at once: most of it may, and to begin anew for each portion took
 * the square of it.
 */
async function walk({ db, table }: PluginApi, { signal }: TaskContext, walked: Walk): Promise<void> {
  const { from, by, old = 'true', asked, goes, bindings = {} } = walked;
  const columns = ['id', by, asked].flatMap((column) => (column ? [`s.${column}`] : []));
  const place = by ? `s.${by}, s.id` : 's.id';
  const backwards = by ? `s.${by} desc, s.id desc` : 's.id desc';
  const reached = by ? '(:time::timestamptz, :id::bigint)' : ':id::bigint';
  const sql = `with portion as materialized (
      select ${columns.join(', ')} from ${table(from)} s where ${old} and (${place}) > ${reached} order by ${place} limit :together
    ), gone as (
      delete from ${table(from)} where id = any (array(select s.id from portion s where ${goes}))
    )
    select s.id, ${by ? `s.${by}::text` : 'null'} as time from portion s order by ${backwards} limit 1`;
  type Place = { id: number | string; time: string | null };
  let last: Place | undefined = { id: 0, time: '-infinity' };
  while (last && !signal.aborted) {
    // each goes on where the one before ended
    // oxlint-disable-next-line no-await-in-loop
    const { rows }: { rows: Place[] } = await db.raw(sql, {
      ...bindings,
      together,
      id: last.id,
      ...(by ? { time: last.time } : {}),
    });
    last = rows[0];
  }
}
