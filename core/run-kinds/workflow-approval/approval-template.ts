import { defineResource, field, type Resource } from '@tapline/plugin-sdk';
import { templateRunFields } from '../../runs/templates/fields.ts';
import { runsOfTemplateSql, shownRuns } from '../../runs/templates/summaries.ts';
import { endApprovalTemplate } from './end-template.ts';
import { approvalTemplateAccess } from './rules.ts';
import type { ApprovalServices } from './services.ts';
import { approvalFields, dataOf } from './template-fields.ts';

/** contract B4: made through a node, and the node's own. */
export const approvalTemplateResource = (services: ApprovalServices): Resource =>
  defineResource({
    type: 'workflow_approval_template',
    path: 'workflow_approval_templates',
    root: false,
    table: 'templates',
    where: { kind: 'workflow_approval_template' },
    label: 'Workflow approval template',
    description: 'What a step of a workflow asks of those who approve or deny it.',
    access: approvalTemplateAccess,
    methods: { list: [], detail: ['GET', 'PUT', 'PATCH', 'DELETE'] },
    stream: true,
    orderBy: ['id'],
    fields: {
      ...approvalFields,
      ...templateRunFields,
      execution_environment: field.ref('execution_environment', { mode: 'ro' }),
    },
    hiddenColumns: ['playbook_files', 'inventory_files', 'survey_spec'],
    sublists: { approvals: { resource: 'workflow_approval', column: 'template_id' } },
    related: (row) => ({ jobs: `/api/v2/workflow_approval_templates/${row.id}/approvals/` }),
    extraSql: {
      ...runsOfTemplateSql,
      shown_workflow: `(select jsonb_build_object('id', ut.id, 'name', ut.name, 'description', ut.description) from templates ut where ut.id = {alias}.workflow_id)`,
    },
    summaries: async (_db, rows) =>
      new Map(rows.map((row) => [row.id, { ...shownRuns(row), workflow_job_template: row['shown_workflow'] }])),
    validate({ input, before }) {
      input['data'] = dataOf(input, before?.['data'] as object);
    },
    remove: (trx, { id }) => endApprovalTemplate(trx, services, id),
  });
