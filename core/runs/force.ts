import { type Actor, ApiError, type Call, type RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { CancelDeps } from './cancel.ts';

/**
 * `?force=true`: the run ends now, whatever becomes of its process.
 * @throws 400 for anything else, 403 where the caller is no superuser
 */
export function isForced({ query, actor }: Pick<Call, 'query' | 'actor'>): boolean {
  const said = query.get('force');
  if (said === null || said === 'false') return false;
  if (said !== 'true') throw new ApiError(400, { force: ['Must be true or false.'] });
  if (!actor?.is_superuser) throw new ApiError(403, 'Only superusers may end a run by force.');
  return true;
}

/** What the run waits for or does is told to end as well, but nobody waits until it has. */
export async function endNow(
  trx: Knex,
  { bus, kinds, statuses, entries }: Omit<CancelDeps, 'db'>,
  run: RunRow,
  actor: Actor | null,
): Promise<void> {
  if (run.canceled_on === null) await entries.canceled(trx, run, actor);
  if (run['needs'] === 'nobody') await kinds.find(run.kind)?.cancel?.(trx, run);
  const who = actor ? ` by ${actor.username}` : '';
  await statuses.setStatus(trx, run, 'canceled', {
    job_explanation: `The run was ended by force${who}; its process may have gone on for a moment.`,
  });
  if (run.instance_id !== null)
    await bus.notify(trx, 'node', { instance: run.instance_id, run: run.id, what: 'cancel' });
}
