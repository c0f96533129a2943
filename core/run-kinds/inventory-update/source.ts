import {
  type Action,
  ApiError,
  defineResource,
  field,
  type Resource,
  type Row,
  type Sublist,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../../descriptors/compile.ts';
import { assertMayGo } from '../../inventory/check.ts';
import { removeParts } from '../../inventory/remove-parts.ts';
import { notificationsOfTemplate } from '../../notifications/attach.ts';
import { assertRights } from '../../rbac/rights.ts';
import { instanceGroupsOf } from '../../resources/ordered-lists.ts';
import { assertNoActiveRuns } from '../../runs/active-runs.ts';
import type { LaunchDoor } from '../../runs/start.ts';
import { runOf, templateRunFields } from '../../runs/templates/fields.ts';
import { checkSource, credentialProblem, type SourceRow } from './check-source.ts';
import { sourceAccess, sourceRights } from './rules.ts';
import { kindOfSource, sourceChoices } from './source-kinds.ts';
import { relatedRuns, sourceSql, sourceSummaries } from './source-summaries.ts';
import { previewAction, updateAction } from './update-action.ts';

const ro = { mode: 'ro' } as const;
const most = 2_147_483_647;

export interface SourceServices {
  db: Knex;
  launch: LaunchDoor;
  readonly catalog?: Catalog;
}

/** What a source says of how it is read; an update takes it over. */
export const optionFields = {
  source: field.choice(sourceChoices),
  source_path: field.string({ max: 1024 }),
  source_vars: field.jsonText({ apiType: 'string' }),
  scm_branch: field.string({ max: 1024 }),
  credential: field.ref('credential', { apiType: 'integer' }),
  enabled_var: field.text(),
  enabled_value: field.text(),
  host_filter: field.text({
    max: 4096,
    help: 'A regular expression: hosts whose names do not begin with it are left out.',
  }),
  overwrite: field.boolean({ help: 'Remove hosts and groups that the source does not have any more.' }),
  overwrite_vars: field.boolean({ help: 'Replace variables by those of the source, instead of adding to them.' }),
};

const sourceFields = {
  name: field.string({ required: true }),
  description: field.text(),
  ...optionFields,
  execution_environment: field.ref('execution_environment'),
  timeout: field.integer({ min: -2_147_483_648, max: most, default: 0 }),
  verbosity: field.choice([0, 1, 2], { default: 1 }),
  limit: field.text(),
  ...templateRunFields,
  inventory: field.ref('inventory', { required: true, nullable: false, mode: 'create' }),
  organization: field.ref('organization', ro),
  update_on_launch: field.boolean(),
  update_cache_timeout: field.integer({ min: 0, max: most, default: 0 }),
  source_project: field.ref('project', { column: 'project_id' }),
  update_on_project_update: field.boolean({ help: 'Update when an update of the project brought another commit.' }),
  source_script: field.text({ help: 'Of a source of the kind custom: the program that prints the inventory.' }),
  max_removed_percent: field.integer({
    min: 0,
    max: 100,
    nullable: true,
    default: null,
    help: 'An update that would remove more of the hosts of this source than this changes nothing and fails; null: no limit.',
  }),
  last_update_failed: field.boolean({ ...ro, sql: '{alias}.last_job_failed' }),
  last_updated: field.datetime({ ...ro, nullable: true, sql: '{alias}.last_job_run' }),
};

const lastRun = runOf('inventory_update', 'last_run_id');
const currentRun = runOf('inventory_update', 'current_run_id');

const spans: Resource['spans'] = {
  hosts: { resource: 'host', through: { table: 'source_hosts', parent: 'source_id', child: 'host_id' } },
  groups: { resource: 'group', through: { table: 'source_groups', parent: 'source_id', child: 'group_id' } },
  credentials: { resource: 'credential', through: { table: 'templates', parent: 'id', child: 'credential_id' } },
  last_job: lastRun,
  current_job: currentRun,
  last_update: lastRun,
  current_update: currentRun,
};

/** A source has one credential; the list and the field `credential` are two ways to it. */
const credentials: Sublist = {
  resource: 'credential',
  where: (builder, source: SourceRow, alias) => void builder.where(`${alias}.id`, source.credential_id),
  attach: true,
  async link(trx, { id }, credential, call, { detach }) {
    if (!(await call.visible('credential', [credential])).has(credential))
      throw new ApiError(400, 'No Credential matches the given query.');
    const source: SourceRow = await trx('templates').where({ id }).forUpdate().first();
    await assertRights(trx, call.actor, [{ type: 'credential', field: 'use_role', id: credential }]);
    if (detach ? source.credential_id !== credential : source.credential_id === credential) return false;
    if (!detach && source.credential_id !== null)
      throw new ApiError(400, { msg: 'Source already has a credential assigned.' });
    const problem = await credentialProblem(trx, source.source, detach ? null : credential);
    if (problem) throw new ApiError(400, { msg: problem });
    await trx('templates')
      .where({ id })
      .update({ credential_id: detach ? null : credential, modified: trx.fn.now() });
    return true;
  },
};

/** What a source brought; DELETE removes all of it. */
const broughtAction = (services: SourceServices, type: 'host' | 'group'): Action => ({
  access: { GET: sourceAccess.see, DELETE: sourceAccess.change },
  summary: `The ${type}s that came from the source`,
  lists: type,
  answers: { GET: { type, page: true }, DELETE: { status: 204, empty: true } },
  async handler(call, source: SourceRow) {
    const brought = [source.inventory_id, source.id];
    const ofSource = (alias: string) => `"${alias}".inventory_id = ? and ? = any ("${alias}".source_ids)`;
    if (call.method === 'GET')
      return call.list(type, (builder, alias) => void builder.whereRaw(ofSource(alias), brought));
    await services.db.transaction(async (trx) => {
      await assertMayGo(trx, source.inventory_id);
      await assertNoActiveRuns(trx, (runs) => void runs.where('inventory_id', source.inventory_id));
      const ids: number[] = await trx(`${type}s as t`).whereRaw(ofSource('t'), brought).pluck('t.id');
      await removeParts(trx, { catalog: services.catalog!, call }, type, ids);
    });
    return { status: 204 };
  },
});

/** What is read from a file of nobody has no updates that somebody would wait for. */
function assertUpdates(row: Row): void {
  const { source } = row as SourceRow;
  if (source !== 'scm' && !kindOfSource(source)?.plugin)
    throw new ApiError(400, { msg: 'Notification templates can only be attached to sources of clouds and projects.' });
}

export const sourceResource = (services: SourceServices): Resource =>
  defineResource({
    type: 'inventory_source',
    path: 'inventory_sources',
    table: 'templates',
    where: { kind: 'inventory_source' },
    label: 'Inventory source',
    description: 'Where hosts and groups of an inventory come from: a file of a project, a cloud, a script.',
    access: sourceAccess,
    rights: sourceRights,
    capabilities: { edit: 'change', start: 'start', schedule: 'start', delete: 'delete' },
    stream: true,
    orderBy: ['name', 'id'],
    search: ['name', 'description'],
    naming: ['name', 'inventory'],
    summary: ['id', 'name', 'description', 'source', 'last_updated', 'status'],
    unique: {
      templates_name_organization: {
        field: '__all__',
        message: 'Inventory source with this Name and Inventory already exists.',
      },
    },
    fields: sourceFields,
    hiddenColumns: ['playbook_files', 'inventory_files', 'survey_spec', 'extra_vars', 'data'],
    spans,
    sublists: {
      inventory_updates: { resource: 'inventory_update', column: 'template_id' },
      credentials,
      instance_groups: instanceGroupsOf('template'),
      ...notificationsOfTemplate({ write: sourceAccess.see, check: assertUpdates }),
    },
    actions: {
      update: updateAction(services),
      preview: previewAction(services),
      hosts: broughtAction(services, 'host'),
      groups: broughtAction(services, 'group'),
    },
    related: relatedRuns,
    extraSql: sourceSql,
    summaries: sourceSummaries,
    validate: checkSource,
    beforeDelete: (trx, { id }: Row) => assertNoActiveRuns(trx, (runs) => void runs.where('template_id', id)),
  });
