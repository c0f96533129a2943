import { type Resource, defineResource, field } from '@tapline/plugin-sdk';
import type { CorePermissions } from '../rbac/permissions.ts';
import { launchTypes, runStatuses } from './choices.ts';

/** A run in `new` waits for its hooks' verdict and is shown nowhere. */
export const startedRuns = (builder: any, alias: string) => void builder.where(`${alias}.status`, '<>', 'new');

const readOnly = { mode: 'ro' } as const;

/** Runs of every kind in one list, each in its own list shape. */
export const unifiedJobResource = ({ permissions }: { permissions: CorePermissions }): Resource =>
  defineResource({
    type: 'unified_job',
    path: 'unified_jobs',
    table: 'runs',
    label: 'Unified job',
    description: 'Runs of every kind in one list.',
    variants: ['job', 'project_update', 'inventory_update', 'ad_hoc_command', 'workflow_job', 'system_job'],
    spans: { unified_job_node: { resource: 'workflow_job_node', column: 'job_id' } },
    listed: startedRuns,
    methods: { list: ['GET'], detail: [] },
    fields: {
      name: field.string(readOnly),
      description: field.text(readOnly),
      unified_job_template: field.ref('unified_job_template', { ...readOnly, column: 'template_id' }),
      organization: field.ref('organization', readOnly),
      launch_type: field.choice(launchTypes, readOnly),
      status: field.choice(runStatuses, readOnly),
      launched_by: field.computed(),
      execution_environment: field.computed({ apiType: 'id' }),
      work_unit_id: field.computed({ apiType: 'string' }),
      failed: field.boolean({ ...readOnly, sql: `{alias}.status in ('failed', 'error', 'canceled')` }),
      started: field.datetime({ ...readOnly, nullable: true }),
      finished: field.datetime({ ...readOnly, nullable: true }),
      canceled_on: field.datetime({ ...readOnly, nullable: true }),
      elapsed: field.number({
        ...readOnly,
        apiType: 'decimal',
        sql: `coalesce(extract(epoch from {alias}.finished - {alias}.started), 0)`,
      }),
      job_explanation: field.text(readOnly),
      execution_node: field.string(readOnly),
      controller_node: field.string(readOnly),
      playbook: field.string(readOnly),
      limit: field.string(readOnly),
      scm_branch: field.string(readOnly),
      inventory: field.ref('inventory', readOnly),
      project: field.ref('project', readOnly),
    },
    access: permissions.unified_job,
    orderBy: ['id'],
    search: ['name', 'description', 'playbook'],
    summary: ['id', 'name', 'description', 'status', 'failed', 'elapsed', 'canceled_on'],
  });
