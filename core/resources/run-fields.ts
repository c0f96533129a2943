import { ApiError, field } from '@tapline/plugin-sdk';
import { deleteRunEvents } from '../events/partitions.ts';
import { isActive, isTerminal } from '../jobs/states.ts';
import { launchTypes, runStatuses } from './choices.ts';

const ro = { mode: 'ro' } as const;

const users = (row: any) => ({
  id: row.launcher_id,
  name: row.launcher_name,
  type: 'user',
  url: `/api/v2/users/${row.launcher_id}/`,
});

/** `{}` where nobody is known to have wanted it. */
function launchedBy(row: any): object {
  if (row.launch_type === 'dependency') return { id: null, name: 'Dependency', type: 'Dependency', url: null };
  return row.launcher_id === null ? {} : users(row);
}

export const launcherSql = {
  launcher_id: '{alias}.actor_id',
  launcher_name: '(select username from users where id = {alias}.actor_id)',
};

/** After 30 s in the queue clients are told what it waits for; nothing of that is stored, so nothing has to be cleared. */
const explanation = `(case when {alias}.status = 'pending' and {alias}.created < now() - interval '30 seconds' and {alias}.pending_reasons->0->>'explanation' is not null
  then concat_ws(E'\\n', nullif({alias}.job_explanation, ''), {alias}.pending_reasons->0->>'explanation') else {alias}.job_explanation end)`;

const elapsed = `(case when {alias}.started is null then 0
  else round(extract(epoch from coalesce({alias}.finished, now()) - {alias}.started), 3) end)::float8`;

/** contract/jobs.md §10.1 */
export const runFields = {
  name: field.string(ro),
  description: field.text(ro),
  unified_job_template: field.ref('unified_job_template', { ...ro, column: 'template_id' }),
  launch_type: field.choice(launchTypes, ro),
  status: field.choice(runStatuses, ro),
  execution_environment: field.computed({ compute: () => null, apiType: 'id' }),
  failed: field.boolean({ ...ro, sql: `({alias}.status in ('failed', 'error', 'canceled'))` }),
  started: field.datetime({ ...ro, nullable: true }),
  finished: field.datetime({ ...ro, nullable: true }),
  canceled_on: field.datetime({ ...ro, nullable: true }),
  elapsed: field.number({ ...ro, sql: elapsed, apiType: 'decimal' }),
  job_args: field.text({ ...ro, detailOnly: true }),
  job_cwd: field.text({ ...ro, detailOnly: true }),
  job_env: field.json({ ...ro, detailOnly: true }),
  job_explanation: field.text({ ...ro, sql: explanation }),
  execution_node: field.string(ro),
  result_traceback: field.text({ ...ro, detailOnly: true }),
  event_processing_finished: field.computed({ detailOnly: true, compute: (row) => isTerminal(row.status) }),
  launched_by: field.computed({ compute: launchedBy }),
  work_unit_id: field.computed({ compute: () => null, apiType: 'string' }),
  pending_reasons: field.list({
    ...ro,
    filterable: false,
    help: 'Why the run has not started yet: code and text each.',
  }),
};

export const runCounts = {
  host_status_counts: field.json({ ...ro, nullable: true, detailOnly: true, filterable: false, optional: true }),
  playbook_counts: field.computed({
    optional: true,
    detailOnly: true,
    compute: (row) => ({ play_count: row.play_count, task_count: row.task_count }),
  }),
};

export function assertDeletable(row: { status: string }): void {
  // clients look for exactly these words; `new` is an orphan and may go
  if (isActive(row.status) && row.status !== 'new') throw new ApiError(403, 'Cannot delete running job resource.');
}

/** Events have no foreign key: their table is cut by ranges of run id. */
export const deleteEvents = (trx: any, { id }: { id: number }): Promise<void> => deleteRunEvents(trx, [id]);
