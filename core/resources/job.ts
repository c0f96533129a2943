import { defineResource, field, type Resource } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { cancelAction, type CancelDeps } from '../launch/cancel.ts';
import type { LaunchService } from '../launch/launch.ts';
import { relaunchAction } from '../launch/relaunch.ts';
import { jobSummaryFields, jobSummarySql } from '../launch/run-summaries.ts';
import type { CorePermissions } from '../rbac/permissions.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Settings } from '../settings/settings.ts';
import { labelsOfJob } from './label.ts';
import { childrenSummaryAction, jobEvents } from './job-event.ts';
import { jobHostSummaries } from './job-host-summary.ts';
import { assertDeletable, deleteEvents, launcherSql, runCounts, runFields } from './run-fields.ts';
import { stdoutAction } from './stdout.ts';
import { startedRuns } from './unified-job.ts';
import { webhookServices } from './choices.ts';

const ro = { mode: 'ro' } as const;

export interface JobServices extends CancelDeps {
  db: Knex;
  keyRing: KeyRing;
  settings: Settings;
  launch: LaunchService;
  permissions: CorePermissions;
}

const jobFields = {
  ...runFields,
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
  extra_vars: field.text(ro),
  job_tags: field.text(ro),
  force_handlers: field.boolean(ro),
  skip_tags: field.text(ro),
  start_at_task: field.string(ro),
  timeout: field.integer(ro),
  use_fact_cache: field.boolean(ro),
  become_enabled: field.boolean(ro),
  passwords_needed_to_start: field.computed({ compute: () => [] }),
  allow_simultaneous: field.boolean(ro),
  artifacts: field.json({ ...ro, filterable: false }),
  scm_revision: field.string(ro),
  instance_group: field.computed({ compute: () => null, apiType: 'id' }),
  diff_mode: field.boolean(ro),
  job_slice_number: field.integer(ro),
  job_slice_count: field.integer(ro),
  job_slice_pinned_hosts: field.text(ro),
  webhook_service: field.choice(webhookServices, ro),
  webhook_credential: field.computed({ compute: () => null, apiType: 'id' }),
  webhook_guid: field.string(ro),
  ...runCounts,
};

export const jobResource = (services: JobServices): Resource =>
  defineResource({
    type: 'job',
    path: 'jobs',
    table: 'runs',
    where: { kind: 'job' },
    label: 'Job',
    description: 'One run of a playbook: how it was launched, how it goes, and how it ended.',
    listed: startedRuns,
    methods: { list: ['GET'], detail: ['GET', 'DELETE'] },
    access: services.permissions.job,
    orderBy: ['id'],
    search: ['name', 'description', 'playbook'],
    summary: ['id', 'name', 'description', 'status', 'failed', 'elapsed', 'canceled_on'],
    hiddenColumns: ['handle', 'prompts', 'origin', 'label_ids'],
    extraSql: { ...launcherSql, ...jobSummarySql },
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
      cancel: cancelAction(services, services.permissions.job),
      relaunch: relaunchAction(services, services.permissions.job),
      stdout: stdoutAction(services, services.permissions.job.see),
      'job_events/children_summary': {
        ...childrenSummaryAction(services, services.permissions.job.see),
        related: false,
      },
    },
    related: (row) => ({
      project_update: row.project_update_id ? `/api/v2/project_updates/${row.project_update_id}/` : null,
    }),
    summaries: jobSummaryFields,
    beforeDelete: async (_trx, row) => assertDeletable(row),
    afterDelete: deleteEvents,
  });
