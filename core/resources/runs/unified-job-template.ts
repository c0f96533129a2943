import { type Resource, defineResource, field } from '@tapline/plugin-sdk';
import { seenTemplate, type Visible } from '../../runs/access.ts';
import { templateStatuses } from '../../runs/choices.ts';
import type { RunKinds } from '../../runs/kinds.ts';

const readOnly = { mode: 'ro' } as const;

/** Templates of every kind in one list, each in its own list shape. */
export const unifiedJobTemplateResource = ({ kinds, visible }: { kinds: RunKinds; visible: Visible }): Resource =>
  defineResource({
    type: 'unified_job_template',
    path: 'unified_job_templates',
    table: 'templates',
    label: 'Unified job template',
    description: 'Everything that can be launched, of every kind, in one list.',
    variants: kinds.templates().map(({ type }) => type),
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
    access: { see: seenTemplate(visible, kinds) },
    orderBy: ['name'],
    search: ['name', 'description', 'playbook'],
    summary: ['id', 'name', 'description', 'unified_job_type'],
    // the kind of run that a template of this kind makes
    extraSql: {
      unified_job_type: `case {alias}.kind ${kinds
        .templates()
        .map(({ type, kind }) => `when '${type}' then '${kind}'`)
        .join(' ')} end`,
    },
  });
