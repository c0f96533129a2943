import type { PluginApi, TaskContext } from '@tapline/plugin-sdk';

const together = 500;

/**
 * Deletes old snapshots, but for the newest of each host, those that are pinned, and those that drift which nobody acknowledged points at. Alerts of whose
 * message nothing was heard for a day have failed: their notification went with its template.
 */
export async function cleanUp({ db, table, settings }: PluginApi, { signal }: TaskContext): Promise<void> {
  await db(table('alerts'))
    .where({ notification_status: 'pending' })
    .whereRaw(`created < now() - interval '1 day'`)
    .update({ notification_status: 'failed', notification_error: 'Nothing was heard of its notification.' });
  const days = settings.get('FACT_SNAPSHOT_RETENTION_DAYS', 90);
  if (days === 0) return;
  const all = async (sql: string, ...bindings: number[]) => {
    for (let deleted = together; deleted === together && !signal.aborted;) {
      // portions: a transaction of hours would hold up others
      // oxlint-disable-next-line no-await-in-loop
      const { rowCount } = await db.raw(sql, [...bindings, together]);
      deleted = rowCount ?? 0;
    }
  };
  await all(
    `delete from ${table('snapshots')} where id in (
         select s.id from ${table('snapshots')} s where s.captured_at < now() - make_interval(days => ?)
           and exists (select from ${table('snapshots')} n where n.host_id = s.host_id and n.id > s.id)
           and not exists (select from ${table('detections')} d where d.snapshot_before_id = s.id and not d.acknowledged)
           and not exists (select from ${table('detections')} d where d.snapshot_after_id = s.id and not d.acknowledged)
           and not exists (select from ${table('host_baselines')} b where b.drift_baseline_id = s.id)
           and not exists (select from ${table('group_baselines')} b where b.drift_baseline_id = s.id)
         limit ?)`,
    days,
  );
  await all(
    `delete from ${table('bases')} where id in (
       select b.id from ${table('bases')} b where not exists (select from ${table('snapshots')} s where s.base_id = b.id) limit ?)`,
  );
}
