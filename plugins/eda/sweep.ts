import { type PluginApi, z } from '@tapline/plugin-sdk';
import { publishLogs } from './live.ts';

const most = 500;
/** So often the evaluation of an event that is not done in time is begun, before it counts as an error; the last has its time, too. */
const mostTries = 5;
/** The same of one that matched, whose actions fail of what is no fault of theirs. */
const mostTriesOfActions = 20;

/**
 * Looks after events whose task the queue lost or gave up: they are evaluated again, and after some tries of that they end. One whose task
 * only waits for its turn is left alone, for hours; one that matched is ended late, since its actions may be under way.
 */
export function defineSweep(api: PluginApi): void {
  const task = api.task('sweep', { schema: z.strictObject({}) }, async () => {
    const logs = api.table('event_logs');
    const ended = { status: 'error', error: 'It could not be evaluated; the log of the service says why.' };
    await api.db.transaction(async (trx) => {
      const waiting = trx(logs).whereNull('finished').whereRaw("created < now() - interval '10 minutes'");
      const tired = (status: string, tries: number) =>
        waiting.clone().where({ status }).where('tries', '>=', tries).where('sweeps', '>', tries);
      const told = ['id', 'event_rule_id'];
      const given = await tired('received', mostTries)
        .update({ ...ended, finished: trx.fn.now() })
        .returning(told);
      await publishLogs(api, trx, given, 'error');
      const failed = {
        status: 'action_failed',
        error: 'Its actions could not all be carried out; the log of the service says why.',
      };
      const begun = await tired('matched', mostTriesOfActions)
        .update({ ...failed, finished: trx.fn.now() })
        .returning(told);
      await publishLogs(api, trx, begun, failed.status);
      const lost: number[] = await waiting
        .whereRaw(`(sweeps <= tries or created < now() - (sweeps + 1) * interval '1 hour')`)
        .orderBy(['sweeps', 'created'])
        .limit(most)
        .forUpdate()
        .skipLocked()
        .pluck('id');
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
