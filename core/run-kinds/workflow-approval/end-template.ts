import type { Knex } from 'knex';
import type { Statuses } from '../../runs/status.ts';
import { type TellDeps, tellOfApproval } from './tell.ts';

interface EndDeps extends TellDeps {
  readonly statuses: Statuses;
}

/** Deletes the template of an approval; what waits for a decision on it is denied, so that its workflow goes on. Other templates stay. */
export async function endApprovalTemplate(trx: Knex, services: EndDeps, template: unknown): Promise<void> {
  if (typeof template !== 'number') return;
  const own = () => trx('templates').where({ id: template }).whereNotNull('workflow_id');
  if (!(await own().first('id'))) return;
  // runs are locked before their templates, everywhere
  await denyPending(trx, services, template);
  await own().forUpdate().first('id');
  // what was launched from it until then
  await denyPending(trx, services, template);
  await own().delete();
}

/** Waits for whoever is voting just now. */
async function denyPending(trx: Knex, services: EndDeps, template: number): Promise<void> {
  const pending: { id: number }[] = await trx('runs')
    .where({ template_id: template })
    .whereIn('status', ['new', 'pending'])
    .orderBy('id')
    .forNoKeyUpdate()
    .select('id');
  const denied = await services.statuses.setStatuses(
    trx,
    'failed',
    pending.map(({ id }) => ({ id, fields: { job_explanation: 'The approval was removed from its workflow.' } })),
  );
  for (const run of denied)
    // they share the transaction, and an approval seldom waits in more than one run
    // oxlint-disable-next-line no-await-in-loop
    await tellOfApproval(trx, services, run, 'denied');
}
