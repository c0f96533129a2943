import { type Action, type Call, defineResource, field, type Resource, type Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { assertNoActiveRuns } from '../../runs/active-runs.ts';
import { callbackAction } from './callback/callback-action.ts';
import { checkTemplate, type CheckDeps } from './check-template.ts';
import { checkCredentialSlot } from './launch/credential-slots.ts';
import { notificationsOfTemplate } from '../../notifications/attach.ts';
import type { Bus } from '../../queue/bus.ts';
import type { LaunchDoor } from '../../runs/start.ts';
import { copyTemplateAction, copyLists } from '../../runs/templates/copy-action.ts';
import { leaveOutUnusable } from '../../runs/templates/leave-out.ts';
import { runLink, runOf, templateRunFields } from '../../runs/templates/fields.ts';
import { jobTypes, verbosities } from '../../runs/prompts/prompts.ts';
import { launchAction } from './launch/launch-action.ts';
import { jobPrompts } from './launch/prompts.ts';
import { templateSummaries, templateSummarySql } from './run-summaries.ts';
import { assertMayUse, assertTemplateRights } from './template-rights.ts';
import { templateAccess, templateRights } from './template-rules.ts';
import { missingRights } from '../../rbac/rights.ts';
import { giveToActor } from '../../rbac/roles.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { resealSurvey } from '../../surveys/defaults.ts';
import { surveyAction } from '../../surveys/survey-action.ts';
import { webhookActions, webhookFields, webhookReceiver } from '../../webhooks/webhook-parts.ts';
import { labelsOf } from '../../resources/label.ts';
import { instanceGroupsOf } from '../../resources/ordered-lists.ts';

const ro = { mode: 'ro' } as const;

export interface JobTemplateServices extends CheckDeps {
  db: Knex;
  keyRing: KeyRing;
  launch: LaunchDoor;
  bus: Bus;
}

const templateFields = {
  name: field.string({ required: true }),
  description: field.text(),
  job_type: field.choice(jobTypes, { default: 'run' }),
  inventory: field.ref('inventory'),
  project: field.ref('project'),
  playbook: field.string({ max: 1024 }),
  scm_branch: field.string({ max: 1024 }),
  forks: field.integer({ min: 0, max: 2_147_483_647, default: 0 }),
  limit: field.text(),
  verbosity: field.choice(verbosities, { default: 0 }),
  extra_vars: field.jsonText(),
  job_tags: field.text(),
  force_handlers: field.boolean(),
  skip_tags: field.text(),
  start_at_task: field.string({ max: 1024 }),
  timeout: field.integer({ min: -2_147_483_648, max: 2_147_483_647, default: 0 }),
  use_fact_cache: field.boolean(),
  organization: field.ref('organization', ro),
  ...templateRunFields,
  execution_environment: field.ref('execution_environment'),
  host_config_key: field.string({ max: 1024 }),
  ...Object.fromEntries(jobPrompts.map(({ flag }) => [flag, field.boolean()])),
  survey_enabled: field.boolean(),
  become_enabled: field.boolean(),
  diff_mode: field.boolean(),
  allow_simultaneous: field.boolean(),
  job_slice_count: field.integer({ min: 0, max: 2_147_483_647, default: 1 }),
  job_slice_pinned_hosts: field.text(),
  ...webhookFields,
  webhook_credential: field.ref('credential', { column: 'webhook_credential_id' }),
  prevent_instance_group_fallback: field.boolean(),
};

const children = {
  spans: {
    jobs: { resource: 'job', column: 'template_id' },
    last_job: runOf('job', 'last_run_id'),
    current_job: runOf('job', 'current_run_id'),
    credentials: {
      resource: 'credential',
      through: { table: 'template_credentials', parent: 'template_id', child: 'credential_id' },
    },
    labels: { resource: 'label', through: { table: 'template_labels', parent: 'template_id', child: 'label_id' } },
  },
  sublists: {
    jobs: { resource: 'job', column: 'template_id' },
    instance_groups: instanceGroupsOf('template'),
    ...notificationsOfTemplate({ write: templateAccess.see }),
    labels: labelsOf('template'),
    credentials: {
      resource: 'credential',
      attach: true,
      async check(trx, template, credential, call) {
        await assertMayUse(trx, credential, call);
        await checkCredentialSlot(trx, template, credential);
      },
      through: { table: 'template_credentials', parent: 'template_id', child: 'credential_id' },
    },
  },
} satisfies Partial<Resource>;

const templateActions = (services: JobTemplateServices): Record<string, Action> => ({
  ...webhookActions(services, { type: 'job_template', change: templateAccess.change }),
  callback: callbackAction(services, templateAccess.see),
  survey_spec: surveyAction(services, 'job_template', templateAccess),
  launch: launchAction(services, { see: templateAccess.see, execute: templateRights.execute }),
  copy: copyTemplateAction({
    db: services.db,
    type: 'job_template',
    rules: { see: templateAccess.see, copy: templateRights.copy },
    after: finishCopy(services),
  }),
});

export const jobTemplateResource = (services: JobTemplateServices): Resource =>
  defineResource({
    type: 'job_template',
    path: 'job_templates',
    table: 'templates',
    where: { kind: 'job_template' },
    label: 'Job template',
    description: 'A playbook of a project with everything that a launch needs, and what a launch may be asked.',
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
        message: 'Job template with this Name and Organization already exists.',
      },
    },
    fields: templateFields,
    hiddenColumns: ['playbook_files', 'inventory_files', 'survey_spec'],
    ...children,
    actions: templateActions(services),
    related: (row) => ({
      current_job: runLink(row, 'current_run_id', 'jobs'),
      last_job: runLink(row, 'last_run_id', 'jobs'),
      webhook_receiver: webhookReceiver(row, 'job_templates'),
      callback: row.host_config_key ? `/api/v2/job_templates/${row.id}/callback/` : null,
    }),
    extraSql: templateSummarySql,
    summaries: templateSummaries,
    async validate(context) {
      await assertTemplateRights(context);
      await checkTemplate(services, context);
    },
    async afterCreate({ trx, call }, { id }) {
      await giveToActor(trx, 'job_template', id, call.actor);
    },
    beforeDelete: (trx, { id }) => assertNoActiveRuns(trx, (runs) => void runs.where('template_id', id)),
  });

const finishCopy =
  ({ keyRing }: Pick<JobTemplateServices, 'keyRing'>) =>
  async (trx: Knex, copied: Row, original: Row, call: Call): Promise<void> => {
    await copyLists(trx, copied, original);
    const administers = { type: 'job_template', field: 'admin_role', id: original.id } as const;
    const withSecrets = !(await missingRights(trx, call.actor, [administers])).length;
    await resealSurvey(trx, keyRing, { copy: copied, original, withSecrets });
    await leaveOutUnusable(trx, call, copied.id);
    await giveToActor(trx, 'job_template', copied.id, call.actor);
  };
