import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Action,
  defineResource,
  field,
  methodNotAllowed,
  type Resource,
  type WriteContext,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { assertNoActiveRuns } from '../engine/active-runs.ts';
import type { Statuses } from '../jobs/status.ts';
import { projectSummaries, projectSummarySql } from '../launch/run-summaries.ts';
import { copyAction } from '../launch/template-actions.ts';
import { type CorePermissions, projectLinks } from '../rbac/permissions.ts';
import { assertLinks } from '../rbac/rights.ts';
import { cachePath } from '../scm/cache.ts';
import { checkProject, type ProjectDeps } from '../scm/check-project.ts';
import { contentsOfFolder, type Contents } from '../scm/contents.ts';
import { startUpdate } from '../scm/start-update.ts';
import { redactUrl } from '../scm/url.ts';
import { teamsWith } from './role-sublists.ts';
import { runOf, templateRunFields } from './job-template.ts';
import { sourceTypes, templateStatuses, webhookServices } from './choices.ts';

const ro = { mode: 'ro' } as const;
const noLink = () => field.computed({ compute: () => null, apiType: 'id' });

export interface ProjectServices extends ProjectDeps {
  db: Knex;
  statuses: Statuses;
  permissions: CorePermissions;
}

const localPath = (id: number, name: string) =>
  `_${id}__${name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 100)}`;
const sourceColumns = ['scm_type', 'scm_url', 'scm_branch', 'scm_refspec'];

const projectFields = {
  name: field.string({ required: true }),
  description: field.text(),
  local_path: field.string({ max: 1024 }),
  scm_type: field.choice(sourceTypes, { default: '' }),
  // may hold a password, so it is neither filtered nor shown as it is
  scm_url: field.string({ max: 1024, filterable: false }),
  scm_branch: field.string({ max: 256 }),
  scm_refspec: field.string({ max: 1024 }),
  scm_clean: field.boolean(),
  scm_track_submodules: field.boolean(),
  scm_delete_on_update: field.boolean(),
  credential: field.ref('credential'),
  timeout: field.integer({ min: -2_147_483_648, max: 2_147_483_647, default: 0 }),
  scm_revision: field.string(ro),
  ...templateRunFields,
  status: field.choice(templateStatuses, ro),
  organization: field.ref('organization'),
  scm_update_on_launch: field.boolean(),
  scm_update_cache_timeout: field.integer({ min: 0, max: 2_147_483_647, default: 0 }),
  allow_override: field.boolean(),
  default_environment: noLink(),
  signature_validation_credential: noLink(),
  last_update_failed: field.boolean({ ...ro, sql: '{alias}.last_job_failed' }),
  last_updated: field.datetime({ ...ro, nullable: true, sql: '{alias}.last_job_run' }),
  webhook_service: field.choice(webhookServices, { default: '' }),
  webhook_ref_filter: field.computed({ compute: () => '', apiType: 'string' }),
};

/** `update` is the older name of a project's `job`. */
const projectSpans = {
  job_templates: { resource: 'job_template', column: 'project_id' },
  ...Object.fromEntries(
    ['job', 'update'].flatMap((name) => [
      [`last_${name}`, runOf('project_update', 'last_run_id')],
      [`current_${name}`, runOf('project_update', 'current_run_id')],
    ]),
  ),
};

export const projectResource = (services: ProjectServices): Resource =>
  defineResource({
    type: 'project',
    path: 'projects',
    table: 'templates',
    where: { kind: 'project' },
    label: 'Project',
    description: 'Where playbooks come from: a repository that is fetched, or a folder.',
    access: services.permissions.project,
    orderBy: ['name', 'id'],
    search: ['name', 'description'],
    naming: ['name', 'organization'],
    summary: ['id', 'name', 'description', 'status', 'scm_type', 'allow_override'],
    unique: {
      templates_name_organization: {
        field: '__all__',
        message: 'Project with this Name and Organization already exists.',
      },
      templates_local_path: { field: 'local_path', message: 'This folder is used by another project already.' },
    },
    fields: projectFields,
    hiddenColumns: ['survey_spec'],
    spans: projectSpans,
    sublists: {
      teams: { resource: 'team', where: teamsWith('project') },
      project_updates: { resource: 'project_update', column: 'template_id' },
    },
    actions: {
      update: updateAction(services),
      playbooks: listAction(services, 'playbooks'),
      inventories: { ...listAction(services, 'inventories'), related: false },
      copy: copyAction({
        db: services.db,
        type: 'project',
        rules: services.permissions.project,
        after: finishCopy(services),
      }),
    },
    related: relatedRuns,
    extraSql: projectSummarySql,
    summaries: projectSummaries,
    async validate(context) {
      keepFolder(context);
      if (context.before) await assertLinks(context, projectLinks);
      await checkProject(services, context);
    },
    ...projectHooks(services),
    present: (shown) => void (shown['scm_url'] = redactUrl(shown['scm_url'])),
  });

/** Clients leave the folder out of a PUT that does not change where the content comes from: that keeps it. */
function keepFolder({ input, before, sent }: WriteContext): void {
  if (before && !sent.has('local_path') && input.scm_type === before.scm_type) delete input.local_path;
}

/** A project with a source is updated as soon as there is something new to fetch; its files go with it. */
const projectHooks = (services: ProjectServices) =>
  ({
    async afterCreate({ trx, call }, row) {
      if (!row.scm_type) return;
      await trx('templates')
        .where({ id: row.id })
        .update({ local_path: localPath(row.id, row.name) });
      await startUpdate(trx, services.statuses, row.id, call);
    },
    async afterUpdate({ trx, call, before }, row) {
      if (before.organization_id !== row.organization_id)
        await trx('templates')
          .where({ kind: 'job_template', project_id: row.id })
          .update({ organization_id: row.organization_id });
      if (row.scm_type && !row.local_path)
        await trx('templates')
          .where({ id: row.id })
          .update({ local_path: localPath(row.id, row.name) });
      if (row.scm_type && sourceColumns.some((column) => before[column] !== row[column]))
        await startUpdate(trx, services.statuses, row.id, call);
    },
    beforeDelete: (trx, { id }) =>
      assertNoActiveRuns(
        trx,
        (runs) => void runs.where((any) => any.where('project_id', id).orWhere('template_id', id)),
      ),
    // a cache only: where the transaction fails after all, the next update makes it anew
    afterDelete: async (_trx, { id }) => rm(cachePath(services.config.dataDir, id), { recursive: true, force: true }),
  }) satisfies Partial<Resource>;

function relatedRuns(row: any): Record<string, string | null> {
  const link = (column: string) => (row[column] ? `/api/v2/project_updates/${row[column]}/` : null);
  const [current, last] = [link('current_run_id'), link('last_run_id')];
  return {
    current_job: current,
    current_update: current,
    last_job: last,
    last_update: last,
    inventory_files: `/api/v2/projects/${row.id}/inventories/`,
  };
}

function updateAction({ db, statuses, permissions }: ProjectServices): Action {
  return {
    access: { GET: permissions.project.see, POST: permissions.project.update },
    summary: 'Fetch the source',
    answers: {
      GET: { fields: { can_update: field.boolean() } },
      POST: { status: 202, type: 'project_update', fields: { project_update: field.integer() } },
    },
    launches: 202,
    async handler(call, row) {
      if (call.method === 'GET') return { status: 200, body: { can_update: row.scm_type !== '' } };
      const run = await db.transaction((trx) => startUpdate(trx, statuses, row.id, call));
      if (!run) throw methodNotAllowed('POST', 'GET, POST, HEAD, OPTIONS');
      const [shown] = await call.represent('project_update', [run.id], 'detail');
      return {
        status: 202,
        headers: { Location: `/api/v2/project_updates/${run.id}/` },
        body: { project_update: run.id, ...shown },
      };
    },
  };
}

function listAction({ config, db, permissions }: ProjectServices, what: keyof Contents): Action {
  const column = what === 'playbooks' ? 'playbook_files' : 'inventory_files';
  return {
    access: { GET: permissions.project.see },
    summary: what === 'playbooks' ? 'The playbooks of the project' : 'Files that may be inventories',
    answers: { GET: { schema: { type: 'array', items: { type: 'string' } } } },
    async handler(_call, row) {
      if (row.scm_type)
        return { status: 200, body: (await db('templates').where({ id: row.id }).first(column))?.[column] ?? [] };
      return {
        status: 200,
        body: row.local_path ? (await contentsOfFolder(join(config.dataDir, 'projects', row.local_path)))[what] : [],
      };
    },
  };
}

const finishCopy =
  ({ statuses }: ProjectServices) =>
  async (trx: Knex, copied: any, _original: any, call: any): Promise<void> => {
    await trx('templates')
      .where({ id: copied.id })
      .update({ local_path: localPath(copied.id, copied.name) });
    await startUpdate(trx, statuses, copied.id, call);
  };
