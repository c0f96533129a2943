import {
  type Action,
  defineResource,
  field,
  type Resource,
  type WriteContext,
  ValidationError,
} from '@tapline/plugin-sdk';
import { notificationsOfTemplate } from '../../notifications/attach.ts';
import { limitProblem } from '../../inventory/limit.ts';
import { expressionProblem } from '../../yaml/expressions.ts';
import { assertLinks } from '../../rbac/rights.ts';
import { giveToActor } from '../../rbac/roles.ts';
import { labelsOf } from '../../resources/label.ts';
import { assertNoActiveRuns } from '../../runs/active-runs.ts';
import { runLink, runOf, templateRunFields } from '../../runs/templates/fields.ts';
import { launchableSql, launchableSummaries } from '../../runs/templates/shown.ts';
import { branchProblem } from '../../scm/url.ts';
import { surveyAction } from '../../surveys/survey-action.ts';
import { checkWebhook } from '../../webhooks/check-webhook.ts';
import { webhookActions, webhookFields, webhookReceiver } from '../../webhooks/webhook-parts.ts';
import { copyWorkflowAction } from './copy.ts';
import { launchAction } from './launch/launch-action.ts';
import { workflowPrompts } from './prompts.ts';
import { templateAccess, templateLinks, templateRights } from './rules.ts';
import type { WorkflowServices } from './services.ts';

const unset = { nullable: true, default: null } as const;

const templateFields = {
  name: field.string({ required: true }),
  description: field.text(),
  organization: field.ref('organization'),
  ...templateRunFields,
  extra_vars: field.jsonText(),
  survey_enabled: field.boolean(),
  allow_simultaneous: field.boolean(),
  inventory: field.ref('inventory'),
  limit: field.text(unset),
  scm_branch: field.string({ ...unset, max: 1024 }),
  job_tags: field.text(unset),
  skip_tags: field.text(unset),
  ...Object.fromEntries(workflowPrompts.map(({ flag }) => [flag, field.boolean()])),
  ...webhookFields,
  webhook_credential: field.ref('credential', { column: 'webhook_credential_id' }),
};

const actions = (services: WorkflowServices): Record<string, Action> => ({
  ...webhookActions(services, { type: 'workflow_job_template', change: templateAccess.change }),
  survey_spec: surveyAction(services, 'workflow_job_template', templateAccess),
  launch: launchAction(services, { see: templateAccess.see, execute: templateRights.execute }),
  copy: copyWorkflowAction(services, { see: templateAccess.see, copy: templateRights.copy }),
});

const children = {
  spans: {
    workflow_jobs: { resource: 'workflow_job', column: 'template_id' },
    workflow_nodes: { resource: 'workflow_job_template_node', column: 'workflow_job_template_id' },
    last_job: runOf('workflow_job', 'last_run_id'),
    current_job: runOf('workflow_job', 'current_run_id'),
    labels: { resource: 'label', through: { table: 'template_labels', parent: 'template_id', child: 'label_id' } },
  },
  sublists: {
    workflow_jobs: { resource: 'workflow_job', column: 'template_id' },
    workflow_nodes: {
      resource: 'workflow_job_template_node',
      column: 'workflow_job_template_id',
      create: true,
      orderBy: ['id'],
    },
    labels: labelsOf('template'),
    ...notificationsOfTemplate({ write: templateAccess.see, approvals: true }),
  },
} satisfies Partial<Resource>;

/** contract B1 */
export const workflowTemplateResource = (services: WorkflowServices): Resource =>
  defineResource({
    type: 'workflow_job_template',
    path: 'workflow_job_templates',
    table: 'templates',
    where: { kind: 'workflow_job_template' },
    label: 'Workflow job template',
    description: 'Nodes that launch templates, and the links by which one follows from another.',
    access: templateAccess,
    rights: templateRights,
    capabilities: { start: 'start', schedule: 'start', edit: 'change', copy: 'copy', delete: 'delete' },
    stream: true,
    orderBy: ['name', 'id'],
    search: ['name', 'description'],
    naming: ['name', 'organization'],
    unique: {
      templates_name_organization: {
        field: '__all__',
        message: 'Workflow job template with this Name and Organization already exists.',
      },
    },
    fields: templateFields,
    hiddenColumns: ['playbook_files', 'inventory_files', 'survey_spec', 'data'],
    ...children,
    actions: actions(services),
    related: (row) => ({
      current_job: runLink(row, 'current_run_id', 'workflow_jobs'),
      last_job: runLink(row, 'last_run_id', 'workflow_jobs'),
      webhook_receiver: webhookReceiver(row, 'workflow_job_templates'),
    }),
    extraSql: launchableSql,
    summaries: (db, rows) => launchableSummaries(db, rows),
    validate: checkTemplate,
    async afterCreate({ trx, call }, { id }) {
      await giveToActor(trx, 'workflow_job_template', id, call.actor);
    },
    beforeDelete: (trx, { id }) => assertNoActiveRuns(trx, (runs) => void runs.where('template_id', id)),
  });

async function checkTemplate(context: WriteContext): Promise<void> {
  const { input, before } = context;
  if (before) await assertLinks(context, templateLinks);
  const errors: Record<string, string[]> = {};
  const refuse = (key: string, text: string) => void (errors[key] ??= []).push(text);
  await checkWebhook(context, refuse);
  const limit = typeof input['limit'] === 'string' && limitProblem(input['limit']);
  if (limit) refuse('limit', limit);
  for (const name of ['job_tags', 'skip_tags']) {
    const expression = typeof input[name] === 'string' && expressionProblem(input[name]);
    if (expression) refuse(name, expression);
  }
  const branch = typeof input['scm_branch'] === 'string' && branchProblem(input['scm_branch']);
  if (branch) refuse('scm_branch', branch);
  if (Object.keys(errors).length) throw new ValidationError(errors);
}
