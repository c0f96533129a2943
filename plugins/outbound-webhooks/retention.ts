import { type PluginApi, z } from '@tapline/plugin-sdk';

const batch = 1000;

export function defineRetention(api: PluginApi): void {
  const task = api.task('clean', { schema: z.strictObject({}), maxAttempts: 3 }, async (_payload, { signal }) => {
    const deliveries = api.table('outbound_webhook_deliveries');
    const days = api.settings.get('OUTBOUND_WEBHOOK_RETENTION_DAYS', 30);
    for (let left = batch; left === batch && !signal.aborted;) {
      // in small statements
      // oxlint-disable-next-line no-await-in-loop
      const { rowCount } = await api.db.raw<{ rowCount: number }>(
        `delete from ${deliveries} where id in (
          select id from ${deliveries} where finished is not null and created < now() - ? * interval '1 day' limit ${batch})`,
        [days],
      );
      left = rowCount;
    }
  });
  api.cron({ task, match: '40 2 * * *', payload: {} });
}
