import { field, type RunDescriptor } from '@tapline/plugin-sdk';
import { labelsOfJob } from '../../resources/label.ts';
import { webhookServices } from '../../runs/choices.ts';
import { launchedSql, launchedSummaries } from '../../runs/templates/shown.ts';
import { relaunchAction } from './launch/relaunch.ts';
import { workflowJobAccess } from './rules.ts';
import type { WorkflowServices } from './services.ts';

const ro = { mode: 'ro' } as const;
const unset = { ...ro, nullable: true } as const;

/** The template of a run, where it is of that kind: runs of a workflow have one, slices the template that is cut. */
const templateOf = (kind: string) =>
  `(select ut.id from templates ut where ut.id = {alias}.template_id and ut.kind = '${kind}')`;

/** contract B6. A key of other runs must not be there: whoever waits would take its presence for an end. */
export const workflowJobDescriptor = (services: WorkflowServices): RunDescriptor => ({
  path: 'workflow_jobs',
  label: 'Workflow job',
  description: 'One run of a workflow: its nodes, what they launched, and how it ended.',
  without: ['event_processing_finished', 'execution_environment', 'execution_node', 'instance_group'],
  summary: ['id', 'name', 'description', 'status', 'failed', 'elapsed', 'canceled_on'],
  hiddenColumns: ['label_ids'],
  fields: {
    workflow_job_template: field.ref('workflow_job_template', { ...ro, sql: templateOf('workflow_job_template') }),
    job_template: field.ref('job_template', { ...ro, sql: templateOf('job_template') }),
    organization: field.ref('organization', ro),
    extra_vars: field.text({ ...ro, shortInLists: true }),
    allow_simultaneous: field.boolean(ro),
    is_sliced_job: field.boolean(ro),
    inventory: field.ref('inventory', ro),
    limit: field.text(unset),
    scm_branch: field.string(unset),
    job_tags: field.text(unset),
    skip_tags: field.text(unset),
    webhook_service: field.choice(webhookServices, ro),
    webhook_credential: field.ref('credential', { ...ro, column: 'webhook_credential_id' }),
    webhook_guid: field.string(ro),
  },
  extraSql: launchedSql,
  spans: {
    workflow_nodes: { resource: 'workflow_job_node', column: 'run_id' },
    labels: { resource: 'label', through: { table: 'run_labels', parent: 'run_id', child: 'label_id' } },
  },
  sublists: {
    workflow_nodes: { resource: 'workflow_job_node', column: 'run_id', orderBy: ['id'] },
    labels: labelsOfJob,
    // its own, and those of its approvals
    notifications: {
      resource: 'notification',
      where: (builder, parent, alias) =>
        void builder.whereRaw(
          '??.run_id in (select ?::bigint union all select id from runs where parent_id = ? and workflow_id is not null)',
          [alias, parent.id, parent.id],
        ),
    },
  },
  actions: { relaunch: relaunchAction(services, workflowJobAccess) },
  summaries: (db, rows) => launchedSummaries(db, rows),
});
