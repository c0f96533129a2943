import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Action,
  type Call,
  defineResource,
  field,
  type Resource,
  type Row,
  type Shown,
  type WriteContext,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { assertNoActiveRuns } from '../../runs/active-runs.ts';
import { copyTemplateAction } from '../../runs/templates/copy-action.ts';
import { leaveOutUnusable } from '../../runs/templates/leave-out.ts';
import { runLink, runOf, templateRunFields } from '../../runs/templates/fields.ts';
import { runsOfTemplateSql, shownRuns } from '../../runs/templates/summaries.ts';
import type { LaunchDoor } from '../../runs/start.ts';
import { assertLinks } from '../../rbac/rights.ts';
import { cachePath } from '../../scm/cache.ts';
import { checkProject, type ProjectDeps, type ProjectRow } from './check-project.ts';
import { projectAccess, projectLinks, projectRights } from './project-rules.ts';
import { folderChanged } from '../../scm/folders.ts';
import { contentsOfFolder, type Contents } from '../../scm/contents.ts';
import { updateAction, updateRequest } from './update-action.ts';
import { redactUrl } from '../../scm/url.ts';
import { notificationsOfTemplate } from '../../notifications/attach.ts';
import { teamsWith } from '../../resources/people/role-sublists.ts';
import { webhookActions, webhookFields, webhookReceiver } from '../../webhooks/webhook-parts.ts';
import { sourceTypes } from '../../runs/choices.ts';
import { offeredTypes } from './subversion.ts';

const ro = { mode: 'ro' } as const;

export interface ProjectServices extends ProjectDeps {
  db: Knex;
  launch: LaunchDoor;
}

const localPath = (id: number, name: string) =>
  `_${id}__${name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 100)}`;
const sourceColumns = ['scm_type', 'scm_url', 'scm_branch', 'scm_refspec', 'signature_validation_credential_id'];

const projectFields = {
  name: field.string({ required: true }),
  description: field.text(),
  local_path: field.string({ max: 1024 }),
  scm_type: field.choice(sourceTypes, { default: '', described: () => offeredTypes() }),
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
  organization: field.ref('organization'),
  scm_update_on_launch: field.boolean(),
  scm_update_cache_timeout: field.integer({
    min: 0,
    max: 2_147_483_647,
    default: 0,
    column: 'update_cache_timeout',
  }),
  allow_override: field.boolean(),
  default_environment: field.ref('execution_environment', { column: 'default_environment_id' }),
  signature_validation_credential: field.ref('credential', {
    help: 'The key that signed the content: an update takes nothing over that it does not verify.',
  }),
  last_update_failed: field.boolean({ ...ro, sql: '{alias}.last_job_failed' }),
  last_updated: field.datetime({ ...ro, nullable: true, sql: '{alias}.last_job_run' }),
  ...webhookFields,
  webhook_ref_filter: field.string({ max: 512, help: 'Which refs count, with * and ?: refs/heads/main, release-*.' }),
};

const lastRun = runOf('project_update', 'last_run_id');
const currentRun = runOf('project_update', 'current_run_id');

/** Clients know a project's runs by two names: the one of all templates, and `update`. */
const projectSpans = {
  job_templates: { resource: 'job_template', column: 'project_id' },
  last_job: lastRun,
  current_job: currentRun,
  last_update: lastRun,
  current_update: currentRun,
};

const projectActions = (services: ProjectServices): Record<string, Action> => ({
  ...webhookActions(services, { type: 'project', change: projectAccess.change, pushesOnly: true }),
  update: updateAction(services, { see: projectAccess.see, update: projectRights.update }),
  playbooks: listAction(services, 'playbooks'),
  inventories: { ...listAction(services, 'inventories'), related: false },
  copy: copyTemplateAction({
    db: services.db,
    type: 'project',
    rules: { see: projectAccess.see, copy: projectRights.copy },
    refuses: ({ scm_type: source }) =>
      source ? undefined : 'A manual project cannot be copied: its folder belongs to one project.',
    after: finishCopy(services),
  }),
});

export const projectResource = (services: ProjectServices): Resource =>
  defineResource({
    type: 'project',
    path: 'projects',
    table: 'templates',
    where: { kind: 'project' },
    label: 'Project',
    description: 'Where playbooks come from: a repository that is fetched, or a folder.',
    access: projectAccess,
    rights: projectRights,
    capabilities: { start: 'start', schedule: 'start', edit: 'change', delete: 'delete', copy: 'copy' },
    stream: true,
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
      ...notificationsOfTemplate({ write: projectAccess.change }),
    },
    actions: projectActions(services),
    related: relatedRuns,
    extraSql: runsOfTemplateSql,
    summaries: async (_db, rows) => new Map(rows.map((row) => [row.id, projectRuns(row)])),
    async validate(context) {
      keepFolder(context);
      if (context.before) await assertLinks(context, projectLinks);
      await checkProject(services, context);
    },
    ...projectHooks(services),
    present(shown, row) {
      shown['scm_url'] = redactUrl(String(shown['scm_url']));
      if (!row.scm_type) showFolder(shown, folderChanged(services.config.dataDir, row.local_path));
    },
  });

/** A manual project is as its folder is now. */
function showFolder(shown: Shown, changed: Date | null): void {
  shown['last_updated'] = changed?.toISOString() ?? null;
  if (!changed) shown['status'] = 'missing';
}

/**
 * Clients leave the folder out of a PUT that does not change where the content comes from: that keeps it. What they export
 * names the folder that another service chose: this one chooses its own.
 */
function keepFolder({ input, before, sent }: WriteContext<ProjectRow>): void {
  if (!before && input.scm_type) delete input.local_path;
  if (before && !sent.has('local_path') && input.scm_type === before.scm_type) delete input.local_path;
}

/** A project with a source is updated as soon as there is something new to fetch; its files go with it. */
const projectHooks = (services: ProjectServices) =>
  ({
    async afterCreate({ trx, call, afterCommit }, row) {
      if (!row.scm_type) return;
      await trx('templates')
        .where({ id: row.id })
        .update({ local_path: localPath(row.id, row.name) });
      await updateAfter(services, trx, row.id, call, afterCommit);
    },
    async afterUpdate({ trx, call, before, afterCommit }, row) {
      if (before.organization_id !== row.organization_id)
        await trx('templates')
          .where({ kind: 'job_template', project_id: row.id })
          .update({ organization_id: row.organization_id });
      if (row.scm_type && !row.local_path)
        await trx('templates')
          .where({ id: row.id })
          .update({ local_path: localPath(row.id, row.name) });
      // what an earlier key, or none, let through is run no more
      const key = row.signature_validation_credential_id;
      if (key !== null && key !== before.signature_validation_credential_id)
        await trx('templates').where({ id: row.id }).update({ scm_revision: '' });
      if (row.scm_type && sourceColumns.some((column) => before[column] !== row[column]))
        await updateAfter(services, trx, row.id, call, afterCommit);
    },
    beforeDelete: (trx, { id }) =>
      assertNoActiveRuns(
        trx,
        (runs) => void runs.where((either) => either.where('project_id', id).orWhere('template_id', id)),
      ),
    // a cache only: where the transaction fails after all, the next update makes it anew
    afterDelete: async (_trx, { id }) => rm(cachePath(services.config.dataDir, id), { recursive: true, force: true }),
  }) satisfies Partial<Resource<ProjectRow>>;

/** The update belongs to the write; whether it may start is decided once that is committed. */
async function updateAfter(
  { launch }: ProjectServices,
  trx: Knex,
  project: number,
  call: Call,
  afterCommit: WriteContext['afterCommit'],
): Promise<void> {
  const inserted = await launch.insert(trx, updateRequest(project, call, false));
  afterCommit(() => launch.decide(inserted));
}

/** Clients know a project's runs by two names: the one of all templates, and `update`. */
function projectRuns(row: Row): Record<string, unknown> {
  const { current_job: current, ...last } = shownRuns(row);
  return { ...last, ...(current ? { current_job: current, current_update: current } : {}) };
}

function relatedRuns(row: Row): Record<string, string | null> {
  const [current, last] = [
    runLink(row, 'current_run_id', 'project_updates'),
    runLink(row, 'last_run_id', 'project_updates'),
  ];
  return {
    current_job: current,
    current_update: current,
    last_job: last,
    last_update: last,
    inventory_files: `/api/v2/projects/${row.id}/inventories/`,
    webhook_receiver: webhookReceiver(row, 'projects'),
  };
}

function listAction({ config, db }: ProjectServices, what: keyof Contents): Action {
  const column = what === 'playbooks' ? 'playbook_files' : 'inventory_files';
  return {
    access: { GET: projectAccess.see },
    summary: what === 'playbooks' ? 'The playbooks of the project' : 'Files that may be inventories',
    answers: { GET: { schema: { type: 'array', items: { type: 'string' } } } },
    async handler(_call, row: ProjectRow) {
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
  (services: ProjectServices) =>
  async (trx: Knex, { id, name }: Row, _original: Row, call: Call): Promise<() => Promise<unknown>> => {
    await trx('templates')
      .where({ id })
      .update({ local_path: localPath(id, String(name)) });
    await leaveOutUnusable(trx, call, id);
    const { launch } = services;
    const inserted = await launch.insert(trx, updateRequest(id, call, false));
    return () => launch.decide(inserted);
  };
