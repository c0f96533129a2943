import { type PluginApi, z } from '@tapline/plugin-sdk';
import { numberOf } from './settings.ts';

const batch = 1000;

/** Deletes what is too old, and what nobody asks about any more. What one of the works fails of keeps no other from being done. */
export function defineRetention(api: PluginApi): void {
  const task = api.task('clean', { schema: z.strictObject({}), maxAttempts: 3 }, async (_payload, { signal }) => {
    const failures: unknown[] = [];
    for (const work of [forgetNames, deleteOld, deletePayloads, dropLargest, deleteGroups])
      // one after the other, each in small statements
      // oxlint-disable-next-line no-await-in-loop
      await work(api, signal).catch((error: unknown) => failures.push(error));
    if (failures.length) throw failures[0];
  });
  api.cron({ task, match: '20 * * * *', payload: {} });
}

async function repeat(signal: AbortSignal, work: () => Promise<number>): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop
  while (!signal.aborted && (await work()) >= batch);
}

/** From then on a name may come again. */
const forgetNames = (api: PluginApi, signal: AbortSignal) =>
  repeat(signal, async () => {
    const logs = api.table('event_logs');
    const days = numberOf(api, 'EDA_DEDUPLICATION_DAYS', 7);
    const { rowCount } = await api.db.raw<{ rowCount: number }>(
      `update ${logs} set dedup_guid = null where id in (
        select id from ${logs} where dedup_guid is not null and created < now() - ? * interval '1 day' limit ${batch})`,
      [days],
    );
    return rowCount;
  });

/** A name that may not come again yet is known by its log. */
const deleteOld = async ({ db, table, ...api }: PluginApi, signal: AbortSignal) => {
  const days = numberOf(api, 'EDA_EVENT_RETENTION_DAYS', 30);
  if (!days) return;
  await repeat(signal, async () => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `delete from ${table('event_logs')} where id in (
        select id from ${table('event_logs')}
        where created < now() - ? * interval '1 day' and finished is not null and dedup_guid is null limit ${batch})`,
      [days],
    );
    return rowCount;
  });
};

/** Those that no log has any more; they are the oldest. */
const deletePayloads = ({ db, table }: PluginApi, signal: AbortSignal) =>
  repeat(signal, async () => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `delete from ${table('payloads')} where id in (
        select p.id from ${table('payloads')} p
        where not exists (select 1 from ${table('event_logs')} l where l.payload_id = p.id) order by p.id limit ${batch})`,
    );
    return rowCount;
  });

/** The oldest payloads beyond the limit, of events that are done with; their logs say so. */
const dropLargest = async ({ db, table, ...api }: PluginApi, signal: AbortSignal) => {
  const megabytes = numberOf(api, 'EDA_EVENT_RETENTION_MB', 0);
  if (!megabytes) return;
  const { rows } = await db.raw<{ rows: { id: number }[] }>(
    `select id from (select id, sum(bytes) over (order by id desc) as total from ${table('payloads')} where not truncated) s
    where s.total > ?::bigint * 1048576 order by id desc limit 1`,
    [megabytes],
  );
  const newest = rows[0]?.id;
  if (newest === undefined) return;
  await repeat(signal, async () => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `update ${table('payloads')} set body = '{"truncated": true}', truncated = true where id in (
        select p.id from ${table('payloads')} p where p.id <= ? and not p.truncated
          and not exists (select 1 from ${table('event_logs')} l where l.payload_id = p.id and l.finished is null)
        order by p.id limit ${batch})`,
      [newest],
    );
    return rowCount;
  });
};

const deleteGroups = async ({ db, table }: PluginApi) => {
  await db.raw(
    `delete from ${table('throttle_groups')} g using ${table('event_rules')} r
    where r.id = g.event_rule_id and g.last_fired_at < now() - r.throttle_seconds * interval '1 second'`,
  );
};
