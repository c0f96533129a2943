import { type Resource, defineResource, field } from '@tapline/plugin-sdk';
import { seenRun, type Visible } from '../../runs/access.ts';
import { elapsedSql, failedSql } from '../../runs/columns.ts';
import type { RunKinds } from '../../runs/kinds.ts';
import { startedRuns } from '../../runs/resource.ts';
import { launchTypes, runStatuses } from '../../runs/choices.ts';

const readOnly = { mode: 'ro' } as const;

/** Runs of every kind in one list, each in its own list shape. */
export function unifiedJobResource({ kinds, visible }: { kinds: RunKinds; visible: Visible }): Resource {
  const listed = kinds.listed().map(({ kind }) => kind);
  return defineResource({
    type: 'unified_job',
    path: 'unified_jobs',
    table: 'runs',
    label: 'Unified job',
    description: 'Runs of every kind in one list.',
    variants: listed,
    spans: { unified_job_node: { resource: 'workflow_job_node', column: 'job_id' } },
    // lists leave some kinds out; what names one of those, as a node names its approval, leads to it all the same
    listed: (builder, alias) => {
      startedRuns(builder, alias);
      builder.whereIn(`${alias}.kind`, listed);
    },
    methods: { list: ['GET'], detail: [] },
    fields: {
      name: field.string(readOnly),
      description: field.text(readOnly),
      unified_job_template: field.ref('unified_job_template', { ...readOnly, column: 'template_id' }),
      organization: field.ref('organization', readOnly),
      launch_type: field.choice(launchTypes, readOnly),
      status: field.choice(runStatuses, readOnly),
      launched_by: field.computed(),
      execution_environment: field.ref('execution_environment', readOnly),
      schedule: field.ref('schedule', readOnly),
      work_unit_id: field.computed({ apiType: 'string' }),
      failed: field.boolean({ ...readOnly, sql: failedSql('{alias}') }),
      started: field.datetime({ ...readOnly, nullable: true }),
      finished: field.datetime({ ...readOnly, nullable: true }),
      canceled_on: field.datetime({ ...readOnly, nullable: true }),
      elapsed: field.number({ ...readOnly, apiType: 'decimal', sql: elapsedSql('{alias}') }),
      job_explanation: field.text(readOnly),
      execution_node: field.string(readOnly),
      controller_node: field.string(readOnly),
      playbook: field.string(readOnly),
      limit: field.string(readOnly),
      scm_branch: field.string(readOnly),
      inventory: field.ref('inventory', readOnly),
      project: field.ref('project', readOnly),
    },
    access: { see: seenRun(visible, kinds) },
    orderBy: ['id'],
    search: ['name', 'description', 'playbook'],
    summary: ['id', 'name', 'description', 'status', 'failed', 'elapsed', 'canceled_on'],
  });
}
