import { field, type RunDescriptor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { labelsOfJob } from '../../resources/label.ts';
import { webhookServices } from '../../runs/choices.ts';
import { hostCounts } from '../../runs/fields.ts';
import type { Bus } from '../../queue/bus.ts';
import type { Visible } from '../../runs/access.ts';
import type { LaunchDoor } from '../../runs/start.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { createScheduleAction } from './create-schedule.ts';
import { childrenSummaryAction, jobEvents } from './job-event.ts';
import { jobHostSummaries } from './job-host-summary.ts';
import { relaunchAction } from './launch/relaunch.ts';
import { jobAccess } from './rules.ts';
import { jobSummaryFields, jobSummarySql, neededPasswords } from './run-summaries.ts';

const ro = { mode: 'ro' } as const;

export interface JobServices {
  db: Knex;
  keyRing: KeyRing;
  launch: LaunchDoor;
  bus: Bus;
  visible: Visible;
}

const jobFields = {
  controller_node: field.string(ro),
  job_type: field.choice(
    [
      ['run', 'Run'],
      ['check', 'Check'],
      ['scan', 'Scan'],
    ],
    ro,
  ),
  inventory: field.ref('inventory', ro),
  project: field.ref('project', ro),
  organization: field.ref('organization', ro),
  job_template: field.ref('job_template', { ...ro, column: 'template_id' }),
  playbook: field.string({ ...ro, sql: `(case when {alias}.project_id is null then '' else {alias}.playbook end)` }),
  scm_branch: field.string(ro),
  forks: field.integer(ro),
  limit: field.text(ro),
  verbosity: field.choice([0, 1, 2, 3, 4, 5], ro),
  extra_vars: field.text({ ...ro, shortInLists: true }),
  job_tags: field.text(ro),
  force_handlers: field.boolean(ro),
  skip_tags: field.text(ro),
  start_at_task: field.string(ro),
  timeout: field.integer(ro),
  use_fact_cache: field.boolean(ro),
  become_enabled: field.boolean(ro),
  passwords_needed_to_start: field.computed({ compute: neededPasswords }),
  allow_simultaneous: field.boolean(ro),
  artifacts: field.json({ ...ro, filterable: false, shortInLists: true }),
  scm_revision: field.string(ro),
  diff_mode: field.boolean(ro),
  job_slice_number: field.integer(ro),
  job_slice_count: field.integer(ro),
  job_slice_pinned_hosts: field.text(ro),
  webhook_service: field.choice(webhookServices, ro),
  webhook_credential: field.ref('credential', { ...ro, column: 'webhook_credential_id' }),
  webhook_guid: field.string(ro),
  decision_record: field.json({
    ...ro,
    nullable: true,
    detailOnly: true,
    filterable: false,
    help: 'Where what it runs with came from, and which gates it was put before.',
  }),
  ...hostCounts,
};

export const jobDescriptor = (services: JobServices): RunDescriptor => ({
  path: 'jobs',
  label: 'Job',
  description: 'One run of a playbook: how it was launched, how it goes, and how it ended.',
  search: ['name', 'description', 'playbook'],
  summary: ['id', 'name', 'description', 'status', 'failed', 'elapsed', 'canceled_on'],
  hiddenColumns: ['label_ids'],
  extraSql: jobSummarySql,
  fields: jobFields,
  spans: {
    credentials: {
      resource: 'credential',
      through: { table: 'run_credentials', parent: 'run_id', child: 'credential_id' },
    },
    job_host_summaries: { resource: 'job_host_summary', column: 'run_id' },
    labels: { resource: 'label', through: { table: 'run_labels', parent: 'run_id', child: 'label_id' } },
  },
  sublists: {
    job_events: jobEvents,
    job_host_summaries: jobHostSummaries,
    labels: labelsOfJob,
    credentials: {
      resource: 'credential',
      through: { table: 'run_credentials', parent: 'run_id', child: 'credential_id' },
    },
  },
  actions: {
    create_schedule: createScheduleAction(services, { see: jobAccess.see, start: jobAccess.start }),
    relaunch: relaunchAction(services, jobAccess),
    'job_events/children_summary': { ...childrenSummaryAction(services, jobAccess.see), related: false },
  },
  summaries: jobSummaryFields,
});
