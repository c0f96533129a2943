import type { RunKind, RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { approvalDescriptor } from './approval.ts';
import { approvalTemplateResource } from './approval-template.ts';
import { planApproval } from './plan.ts';
import { approvalAccess } from './rules.ts';
import type { ApprovalServices } from './services.ts';
import { tellOfApproval } from './tell.ts';
import { voteResource } from './vote.ts';

/** A step of a workflow that waits for people. */
export function workflowApprovalKind(services: ApprovalServices): RunKind {
  const access = approvalAccess(services);
  return {
    kind: 'workflow_approval',
    template: 'workflow_approval_template',
    needs: 'nobody',
    staysPending: true,
    unlisted: true,
    noted: true,
    notifies: { moves: false, metadata: variablesOfParent },
    events: { own: true },
    access,
    resource: approvalDescriptor(services, access),
    resources: [approvalTemplateResource(services), voteResource()],
    plan: (request) => planApproval(services, request),
    advance: (run) => services.db.transaction((trx) => expire(trx, services, run)),
    mayAdvance: (runs) => void runs.where('t.status', 'pending').where('t.timeout', '>', 0).whereRaw(isOver('t')),
  };
}

/** contract D5 */
const variablesOfParent = async (db: Knex, run: number): Promise<{ extra_vars?: string }> =>
  (await db('runs as a').join('runs as w', 'w.id', 'a.parent_id').where({ 'a.id': run }).first('w.extra_vars')) ?? {};

const isOver = (alias: string) => `${alias}.created + ${alias}.timeout * interval '1 second' <= clock_timestamp()`;

/** Whom nobody answered in time is decided by its template. */
async function expire(trx: Knex, services: ApprovalServices, id: number): Promise<void> {
  const run: RunRow | undefined = await trx('runs')
    .where({ id, status: 'pending' })
    .where('timeout', '>', 0)
    .whereRaw(isOver('runs'))
    .forNoKeyUpdate()
    .first();
  if (!run) return;
  const approved = run.data['on_timeout'] === 'approve';
  await services.statuses.setStatus(trx, run, approved ? 'successful' : 'failed', {
    data: { ...run.data, timed_out: true },
    job_explanation: `Nobody decided within ${String(run['timeout'])} seconds: the step was ${approved ? 'approved' : 'denied'} by its timeout.`,
  });
  await tellOfApproval(trx, services, run, 'timed_out');
}
