import { type Resource, defineResource, field } from '@tapline/plugin-sdk';
import type { CorePermissions } from '../rbac/permissions.ts';
import { templateStatuses } from './choices.ts';

const readOnly = { mode: 'ro' } as const;

/** Templates of every kind in one list, each in its own list shape. */
export const unifiedJobTemplateResource = ({ permissions }: { permissions: CorePermissions }): Resource =>
  defineResource({
    type: 'unified_job_template',
    path: 'unified_job_templates',
    table: 'templates',
    label: 'Unified job template',
    description: 'Everything that can be launched, of every kind, in one list.',
    variants: ['job_template', 'project'],
    methods: { list: ['GET'], detail: [] },
    fields: {
      name: field.string(readOnly),
      description: field.text(readOnly),
      organization: field.ref('organization', readOnly),
      status: field.choice(templateStatuses, readOnly),
      last_job_run: field.datetime({ ...readOnly, nullable: true }),
      last_job_failed: field.boolean(readOnly),
      next_job_run: field.datetime({ ...readOnly, nullable: true }),
      playbook: field.string(readOnly),
      inventory: field.ref('inventory', readOnly),
      project: field.ref('project', readOnly),
    },
    access: permissions.unified_job_template,
    orderBy: ['name'],
    search: ['name', 'description', 'playbook'],
    summary: ['id', 'name', 'description', 'unified_job_type'],
    // the kind of run that a template of this kind makes
    extraSql: {
      unified_job_type: `case {alias}.kind when 'job_template' then 'job' when 'project' then 'project_update' end`,
    },
  });
