import { type PluginApi, z } from '@tapline/plugin-sdk';

const most = 500;
/** So often an event is given to the queue again before it counts as an error. */
const mostSweeps = 5;

/** Looks after events whose task the queue lost or gave up: they are evaluated again, and after some times of that they end. */
export function defineSweep(api: PluginApi): void {
  const task = api.task('sweep', { schema: z.strictObject({}), maxAttempts: 1 }, async () => {
    const logs = api.table('event_logs');
    const ended = { status: 'error', error: 'It could not be evaluated; the log of the service says why.' };
    await api.db.transaction(async (trx) => {
      const waiting = trx(logs).whereNull('finished').whereRaw("created < now() - interval '10 minutes'");
      await waiting
        .clone()
        .where('sweeps', '>=', mostSweeps)
        .update({ ...ended, finished: trx.fn.now() });
      const lost: number[] = await waiting.orderBy('created').limit(most).forUpdate().skipLocked().pluck('id');
      if (!lost.length) return;
      await trx(logs)
        .whereIn('id', lost)
        .update({ sweeps: trx.raw('sweeps + 1') });
      await trx(api.table('inbox'))
        .insert(lost.map((event_log_id) => ({ event_log_id })))
        .onConflict()
        .ignore();
      api.log.warn({ event_logs: lost.length }, 'events were not evaluated in time, and are begun again');
    });
  });
  api.cron({ task, match: '4,14,24,34,44,54 * * * *', payload: {} });
}
