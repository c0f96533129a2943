import { defineResource, field, type Resource, type Rule, type Sublist } from '@tapline/plugin-sdk';
import { via } from '../../../rbac/rules.ts';
import { elapsedSql, failedSql, isoSql } from '../../../runs/columns.ts';
import { savedPromptFields } from '../../../runs/saved-prompts/fields.ts';
import { workflowJobAccess } from '../rules.ts';
import type { WorkflowServices } from '../services.ts';
import { linkFields, linkKinds, templateSql } from './node-fields.ts';
import { templateLink, templateSummary } from './shown-node.ts';

const ro = { mode: 'ro' } as const;

/** What a node of a run shows of the run that it launched. */
const shownJob = `(select jsonb_strip_nulls(jsonb_build_object('id', r.id, 'name', r.name, 'description', r.description, 'status', r.status,
    'failed', ${failedSql('r')}, 'elapsed', ${elapsedSql('r')}, 'type', r.kind, 'canceled_on', ${isoSql('r.canceled_on')},
    'timed_out', (r.data ->> 'timed_out')::boolean)) from runs r where r.id = {alias}.job_id)`;

const follows = (): Record<string, Sublist> =>
  Object.fromEntries(
    linkKinds.map((kind) => [
      `${kind}_nodes`,
      {
        resource: 'workflow_job_node',
        where: (builder, parent, alias) =>
          void builder.whereRaw(
            '??.id in (select child_id from workflow_job_node_links where parent_id = ? and kind = ?)',
            [alias, parent.id, kind],
          ),
      } satisfies Sublist,
    ]),
  );

const listed = (resource: string, ordered = false): Sublist => ({
  resource,
  through: { table: `workflow_job_node_${resource}s`, parent: 'node_id', child: `${resource}_id`, ordered },
});

const see: Rule = via('run_id', 'runs', workflowJobAccess.see);

/** A node of a run (contract B6): a copy of the template's, with what became of it. */
export const runNodeResource = (services: WorkflowServices): Resource =>
  defineResource({
    type: 'workflow_job_node',
    path: 'workflow_job_nodes',
    table: 'workflow_job_nodes',
    label: 'Workflow job node',
    description: 'A step of one run of a workflow, and the run that it launched.',
    access: { see },
    methods: { list: ['GET'], detail: ['GET'] },
    orderBy: ['id'],
    search: ['identifier'],
    summary: ['id', 'identifier'],
    fields: {
      workflow_job: field.ref('workflow_job', { ...ro, column: 'run_id' }),
      unified_job_template: field.ref('unified_job_template', ro),
      job: field.ref('unified_job', { ...ro, column: 'job_id' }),
      identifier: field.string(ro),
      do_not_run: field.boolean(ro),
      explanation: field.string({ ...ro, help: 'Why it launched nothing although it was reached.' }),
      all_parents_must_converge: field.boolean(ro),
      max_retries: field.integer(ro),
      retry_attempts: field.integer(ro),
      retried_jobs: field.list({ ...ro, filterable: false, apiType: 'field' }),
      prior_run_succeeded: field.boolean(ro),
      prior_run_elapsed: field.number({ ...ro, nullable: true }),
      ...linkFields('workflow_job_node'),
      ...readOnly(savedPromptFields),
    },
    hiddenColumns: ['survey_passwords', 'ancestor_artifacts', 'artifacts', 'columns', 'outcome'],
    sublists: {
      ...follows(),
      credentials: listed('credential'),
      labels: listed('label'),
      instance_groups: listed('instance_group', true),
    },
    related: (row) => ({
      unified_job_template: templateLink(services.kinds, row),
      job: jobLink(services, row['shown_job'] as { type: string; id: number } | null),
    }),
    extraSql: { shown_template: templateSql, shown_job: shownJob },
    summaries: async (_db, rows) =>
      new Map(
        rows.map((row) => [
          row.id,
          { ...templateSummary(services.kinds, row), ...(row['shown_job'] ? { job: row['shown_job'] } : {}) },
        ]),
      ),
  });

function jobLink({ kinds }: WorkflowServices, job: { type: string; id: number } | null): string | null {
  const path = job && kinds.find(job.type)?.resource.path;
  return path ? `/api/v2/${path}/${job.id}/` : null;
}

const readOnly = <F extends Record<string, object>>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, { ...one, mode: 'ro' }])) as unknown as F;
