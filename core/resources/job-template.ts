import { type Call, defineResource, field, type Resource } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { assertNoActiveRuns } from '../engine/active-runs.ts';
import { checkTemplate, type CheckDeps } from '../launch/check-template.ts';
import { checkCredentialSlot } from '../launch/credential-slots.ts';
import type { LaunchService } from '../launch/launch.ts';
import { askFlags } from '../launch/prompt-types.ts';
import { templateSummaries, templateSummarySql } from '../launch/run-summaries.ts';
import { copyAction, copyLists, launchAction } from '../launch/template-actions.ts';
import { assertMayUse, assertTemplateRights } from '../launch/template-rights.ts';
import { variablesProblem } from '../launch/variables.ts';
import type { CorePermissions } from '../rbac/permissions.ts';
import { giveToCreator } from '../rbac/roles.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { templateStatuses, webhookServices } from './choices.ts';
import { labelsOf } from './label.ts';
import { instanceGroupsOf } from './ordered-lists.ts';

const ro = { mode: 'ro' } as const;
const noLink = () => field.computed({ compute: () => null, apiType: 'id' });

export const templateRunFields = {
  last_job_run: field.datetime({ ...ro, nullable: true }),
  last_job_failed: field.boolean(ro),
  next_job_run: field.datetime({ ...ro, nullable: true }),
};

export interface JobTemplateServices extends CheckDeps {
  db: Knex;
  keyRing: KeyRing;
  launch: LaunchService;
  permissions: CorePermissions;
}

const runLink = (row: any, column: string, path: string) => (row[column] ? `/api/v2/${path}/${row[column]}/` : null);

const templateFields = {
  name: field.string({ required: true }),
  description: field.text(),
  job_type: field.choice(
    [
      ['run', 'Run'],
      ['check', 'Check'],
    ],
    { default: 'run' },
  ),
  inventory: field.ref('inventory'),
  project: field.ref('project'),
  playbook: field.string({ max: 1024 }),
  scm_branch: field.string({ max: 1024 }),
  forks: field.integer({ min: 0, max: 2_147_483_647, default: 0 }),
  limit: field.text(),
  verbosity: field.choice(
    [
      [0, '0 (Normal)'],
      [1, '1 (Verbose)'],
      [2, '2 (More Verbose)'],
      [3, '3 (Debug)'],
      [4, '4 (Connection Debug)'],
      [5, '5 (WinRM Debug)'],
    ],
    { default: 0 },
  ),
  extra_vars: field.jsonText({ check: variablesProblem }),
  job_tags: field.text(),
  force_handlers: field.boolean(),
  skip_tags: field.text(),
  start_at_task: field.string({ max: 1024 }),
  timeout: field.integer({ min: -2_147_483_648, max: 2_147_483_647, default: 0 }),
  use_fact_cache: field.boolean(),
  organization: field.ref('organization', ro),
  ...templateRunFields,
  status: field.choice(templateStatuses, ro),
  execution_environment: noLink(),
  host_config_key: field.string({ max: 1024 }),
  ...Object.fromEntries(askFlags.map((flag) => [flag, field.boolean()])),
  survey_enabled: field.boolean(),
  become_enabled: field.boolean(),
  diff_mode: field.boolean(),
  allow_simultaneous: field.boolean(),
  job_slice_count: field.integer({ min: 0, max: 2_147_483_647, default: 1 }),
  job_slice_pinned_hosts: field.text(),
  webhook_service: field.choice(webhookServices, { default: '' }),
  webhook_credential: noLink(),
  prevent_instance_group_fallback: field.boolean(),
};

/** A link that a template holds to one of its runs, as filters follow it. */
export const runOf = (resource: string, column: string) => ({
  resource,
  through: { table: 'templates', parent: 'id', child: column },
});

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

export const jobTemplateResource = (services: JobTemplateServices): Resource =>
  defineResource({
    type: 'job_template',
    path: 'job_templates',
    table: 'templates',
    where: { kind: 'job_template' },
    label: 'Job template',
    description: 'A playbook of a project with everything that a launch needs, and what a launch may be asked.',
    access: services.permissions.job_template,
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
    actions: {
      launch: launchAction(services, services.permissions.job_template),
      copy: copyAction({
        db: services.db,
        type: 'job_template',
        rules: services.permissions.job_template,
        after: finishCopy,
      }),
    },
    related: (row) => ({
      current_job: runLink(row, 'current_run_id', 'jobs'),
      last_job: runLink(row, 'last_run_id', 'jobs'),
    }),
    extraSql: templateSummarySql,
    summaries: templateSummaries,
    async validate(context) {
      await assertTemplateRights(context);
      await checkTemplate(services, context);
    },
    async afterCreate({ trx, call }, { id }) {
      if (call.actor && call.actor.id > 0) await giveToCreator(trx, 'job_template', id, call.actor.id);
    },
    beforeDelete: (trx, { id }) => assertNoActiveRuns(trx, (runs) => void runs.where('template_id', id)),
  });

async function finishCopy(trx: Knex, copied: { id: number }, original: { id: number }, { actor }: Call): Promise<void> {
  await copyLists(trx, copied, original);
  if (actor && actor.id > 0) await giveToCreator(trx, 'job_template', copied.id, actor.id);
}
