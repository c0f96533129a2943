import { field, type Row } from '@tapline/plugin-sdk';
import { summaryOf } from '../descriptors/read/sql.ts';
import { launchTypes, runStatuses } from './choices.ts';
import { elapsedSql, explanationSql, failedSql, reasonsSql } from './columns.ts';
import { isTerminal } from './states.ts';

const ro = { mode: 'ro' } as const;

/** As `launched_by` names what launched it. */
function shownAs(type: unknown, summary: ReturnType<typeof summaryOf>): object | undefined {
  if (!summary) return undefined;
  const { id, name } = summary;
  return { id, name, type, url: `/api/v2/${type}s/${id}/` };
}

/** `{}` where nobody is known to have wanted it. */
function launchedBy(row: Row): object {
  if (row.launch_type === 'dependency') return { id: null, name: 'Dependency', type: 'Dependency', url: null };
  if (row.actor_id !== null) return shownAs('user', { id: row.actor_id, name: row.launcher_name })!;
  // nobody was there but a source host or a machine
  const called = row.launch_type === 'webhook' || row.launch_type === 'callback';
  const template = called ? summaryOf(row, 'unified_job_template') : null;
  return shownAs('schedule', summaryOf(row, 'schedule')) ?? shownAs(template?.['@kind'], template) ?? {};
}

/** For `launched_by`; schedules and templates are in the summaries already. */
export const launcherSql = {
  launcher_name: '(select username from users where id = {alias}.actor_id)',
};

/** contract/jobs.md §10.1 */
export const runFields = {
  name: field.string(ro),
  description: field.text(ro),
  unified_job_template: field.ref('unified_job_template', { ...ro, column: 'template_id' }),
  launch_type: field.choice(launchTypes, ro),
  status: field.choice(runStatuses, ro),
  execution_environment: field.ref('execution_environment', ro),
  failed: field.boolean({ ...ro, sql: failedSql('{alias}') }),
  started: field.datetime({ ...ro, nullable: true }),
  finished: field.datetime({ ...ro, nullable: true }),
  canceled_on: field.datetime({ ...ro, nullable: true }),
  elapsed: field.number({ ...ro, sql: elapsedSql('{alias}'), apiType: 'decimal' }),
  job_args: field.text({ ...ro, detailOnly: true }),
  job_cwd: field.text({ ...ro, detailOnly: true }),
  job_env: field.json({ ...ro, detailOnly: true }),
  job_explanation: field.text({ ...ro, sql: explanationSql('{alias}') }),
  execution_node: field.string(ro),
  instance_group: field.ref('instance_group', ro),
  result_traceback: field.text({ ...ro, detailOnly: true }),
  event_processing_finished: field.computed({ detailOnly: true, compute: (row) => isTerminal(String(row['status'])) }),
  launched_by: field.computed({ compute: launchedBy }),
  schedule: field.ref('schedule', ro),
  work_unit_id: field.computed({ compute: () => null, apiType: 'string' }),
  pending_reasons: field.list({
    ...ro,
    sql: reasonsSql('{alias}'),
    filterable: false,
    help: 'Why the run has not started yet: code and text each.',
  }),
};

/** What is counted of runs that play on hosts. */
export const hostCounts = {
  host_status_counts: field.json({ ...ro, nullable: true, detailOnly: true, filterable: false, optional: true }),
  playbook_counts: field.computed({
    optional: true,
    detailOnly: true,
    compute: (row) => ({ play_count: row.play_count, task_count: row.task_count }),
  }),
};
