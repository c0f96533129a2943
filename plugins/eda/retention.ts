import { type PluginApi, z } from '@tapline/plugin-sdk';
import { numberOf } from './settings.ts';

const batch = 1000;

/** Deletes what is too old, and what nobody asks about any more. */
export function defineRetention(api: PluginApi): void {
  const task = api.task('clean', { schema: z.strictObject({}), maxAttempts: 3 }, async (_payload, { signal }) => {
    for (const work of [forgetNames, deleteOld, dropLargest, deleteGroups])
      // one after the other, each in small statements
      // oxlint-disable-next-line no-await-in-loop
      await work(api, signal);
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

const deleteOld = async (api: PluginApi, signal: AbortSignal) => {
  const { db, table } = api;
  const days = numberOf(api, 'EDA_EVENT_RETENTION_DAYS', 30);
  if (days)
    await repeat(signal, async () => {
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `delete from ${table('event_logs')} where id in (
          select id from ${table('event_logs')} where created < now() - ? * interval '1 day' and finished is not null limit ${batch})`,
        [days],
      );
      return rowCount;
    });
  await db.raw(
    `delete from ${table('payloads')} p where not exists (select 1 from ${table('event_logs')} l where l.payload_id = p.id)`,
  );
};

/** The oldest payloads beyond the limit, of events that are done with; their logs say so. */
const dropLargest = async ({ db, table, ...api }: PluginApi) => {
  const megabytes = numberOf(api, 'EDA_EVENT_RETENTION_MB', 0);
  if (!megabytes) return;
  await db.raw(
    `update ${table('payloads')} p set body = '{"truncated": true}', truncated = true
    from (select id, sum(bytes) over (order by id desc) as total from ${table('payloads')} where not truncated) s
    where s.id = p.id and s.total > ?::bigint * 1048576
      and not exists (select 1 from ${table('event_logs')} l where l.payload_id = p.id and l.finished is null)`,
    [megabytes],
  );
};

const deleteGroups = async ({ db, table }: PluginApi) => {
  await db.raw(
    `delete from ${table('throttle_groups')} g using ${table('event_rules')} r
    where r.id = g.event_rule_id and g.last_fired_at < now() - r.throttle_seconds * interval '1 second'`,
  );
};
