import { defineResource, field, type Resource } from '@tapline/plugin-sdk';
import { labelsOf } from '../../../resources/label.ts';
import { savedPromptFields } from '../../../runs/saved-prompts/fields.ts';
import { savedSublists } from '../../../runs/saved-prompts/sublists.ts';
import { nodeAccess } from '../rules.ts';
import type { WorkflowServices } from '../services.ts';
import { endApprovalTemplate } from '../../workflow-approval/end-template.ts';
import { approvalAction } from './approval-action.ts';
import { checkNode, guarded } from './check-node.ts';
import { linksOf } from './links.ts';
import { linkFields, templateSql } from './node-fields.ts';
import { ofNodes } from './saved.ts';
import { templateLink, templateSummary } from './shown-node.ts';

/** contract B3 */
export const templateNodeResource = (services: WorkflowServices): Resource =>
  defineResource({
    type: 'workflow_job_template_node',
    path: 'workflow_job_template_nodes',
    table: 'workflow_job_template_nodes',
    label: 'Workflow job template node',
    description: 'A step of a workflow: the template that it launches, with what, and which steps follow.',
    access: nodeAccess,
    orderBy: ['id'],
    search: ['identifier'],
    summary: ['id', 'identifier'],
    naming: ['identifier', 'workflow_job_template'],
    unique: {
      workflow_job_template_nodes_identifier: {
        field: '__all__',
        message: 'Workflow job template node with this Identifier and Workflow job template already exists.',
      },
    },
    fields: {
      workflow_job_template: field.ref('workflow_job_template', { mode: 'create', required: true, nullable: false }),
      unified_job_template: field.ref('unified_job_template'),
      identifier: field.string(),
      all_parents_must_converge: field.boolean(),
      max_retries: field.integer({ min: 0, max: 100, default: 0 }),
      ...linkFields('workflow_node'),
      ...savedPromptFields,
    },
    spans: {
      credentials: {
        resource: 'credential',
        through: { table: 'workflow_node_credentials', parent: 'node_id', child: 'credential_id' },
      },
    },
    sublists: {
      ...linksOf(services),
      ...guardedLists(services),
    },
    hiddenColumns: ['survey_passwords'],
    actions: { create_approval_template: approvalAction(services, nodeAccess) },
    related: (row) => ({ unified_job_template: templateLink(services.kinds, row) }),
    extraSql: { shown_template: templateSql },
    summaries: async (_db, rows) => new Map(rows.map((row) => [row.id, templateSummary(services.kinds, row)])),
    validate: (context) => checkNode(services, context),
    ...endings(services),
  });

const guardedLists = (services: WorkflowServices): Resource['sublists'] => {
  const lists = { ...savedSublists(services, ofNodes), labels: labelsOf('workflow_node', 'node_id') };
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, guarded(services, list)]));
};

/** An approval goes with the node that it belongs to. */
const endings = (services: WorkflowServices): Pick<Resource, 'afterUpdate' | 'afterDelete'> => ({
  afterUpdate: ({ trx, before }, row) => {
    const [old, now] = [before['unified_job_template_id'], row['unified_job_template_id']];
    return old === now ? Promise.resolve() : endApprovalTemplate(trx, services, old);
  },
  afterDelete: (trx, row) => endApprovalTemplate(trx, services, row['unified_job_template_id']),
});
