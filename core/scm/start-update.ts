import type { Knex } from 'knex';
import type { Actor } from '@tapline/plugin-sdk';
import type { Statuses } from '../jobs/status.ts';
import { launcherColumns } from '../launch/insert-run.ts';
import { bindLaunch } from '../launch/launch-key.ts';
import { insertUpdates } from './insert-update.ts';

/** Queues an update of one project; null for a manual one. */
export async function startUpdate(
  trx: Knex,
  statuses: Statuses,
  project: number,
  { actor, ip }: { actor: Actor | null; ip: string },
): Promise<{ id: number } | null> {
  const [run] = await insertUpdates(trx, [project], {
    launch_type: 'manual',
    ...launcherColumns({ actor, authority: actor, origin: { kind: 'api', id: null, client_ip: ip } }),
  });
  if (!run) return null;
  await bindLaunch(trx, run);
  return statuses.setStatus(trx, run, 'pending');
}
