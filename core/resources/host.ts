import { type Action, type Resource, type Rule, defineResource, field } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { assertNoActiveRuns } from '../engine/active-runs.ts';
import { checkHost } from '../inventory/check.ts';
import { hostSummaries } from '../inventory/host-summaries.ts';
import { assertOneInventory, groupsOfHostSql } from '../inventory/membership.ts';
import { variableData } from '../inventory/variable-data.ts';
import { findVariablesProblem } from '../inventory/variables.ts';
import type { CorePermissions } from '../rbac/permissions.ts';
import { hostJobEvents } from './job-event.ts';
import { hostJobHostSummaries } from './job-host-summary.ts';

const factsModified = '(select f.modified from host_facts f where f.host_id = {alias}.id)';

const fields = {
  name: field.string({ required: true }),
  description: field.text(),
  inventory: field.ref('inventory', { required: true, nullable: false, mode: 'create' }),
  enabled: field.boolean({ default: true }),
  instance_id: field.string({ max: 1024 }),
  variables: field.jsonText({ check: findVariablesProblem }),
  has_active_failures: field.boolean({
    mode: 'ro',
    sql: 'coalesce((select s.failed from job_host_summaries s where s.id = {alias}.last_job_host_summary_id), false)',
  }),
  has_inventory_sources: field.boolean({ mode: 'ro', sql: 'false' }),
  // the columns may name what was deleted since
  last_job: field.ref('job', { mode: 'ro', sql: '(select r.id from runs r where r.id = {alias}.last_job_id)' }),
  last_job_host_summary: field.ref('job_host_summary', {
    mode: 'ro',
    sql: '(select s.id from job_host_summaries s where s.id = {alias}.last_job_host_summary_id)',
  }),
  engine_facts_modified: field.datetime({ mode: 'ro', nullable: true, sql: factsModified }),
  ansible_facts_modified: field.datetime({ mode: 'ro', nullable: true, sql: factsModified }),
};

const factsAction = (db: Knex, see: Rule): Action => ({
  access: { GET: see },
  summary: 'The facts that the newest job with a fact cache gathered',
  answers: { GET: { schema: { type: 'object' } } },
  async handler(_call, host) {
    const row = await db('host_facts as h')
      .join('facts as f', 'f.hash', 'h.hash')
      .where('h.host_id', host.id)
      .first('f.document');
    return { status: 200, body: row?.document ?? {} };
  },
});

export const hostResource = ({ db, permissions }: { db: Knex; permissions: CorePermissions }): Resource =>
  defineResource({
    type: 'host',
    path: 'hosts',
    table: 'hosts',
    label: 'Host',
    description: 'A machine of an inventory, with its variables and the facts that runs have gathered.',
    fields,
    access: permissions.host,
    orderBy: ['name', 'id'],
    search: ['name', 'description'],
    naming: ['name', 'inventory'],
    spans: { groups: { resource: 'group', through: { table: 'group_hosts', parent: 'host_id', child: 'group_id' } } },
    unique: {
      hosts_name_inventory: { field: '__all__', message: 'Host with this Name and Inventory already exists.' },
    },
    sublists: {
      job_events: hostJobEvents,
      job_host_summaries: hostJobHostSummaries,
      groups: {
        resource: 'group',
        through: { table: 'group_hosts', parent: 'host_id', child: 'group_id' },
        attach: true,
        create: true,
        inherit: ['inventory_id'],
        check: assertOneInventory,
      },
      all_groups: {
        resource: 'group',
        where: (builder, host, alias) => void builder.whereRaw(`"${alias}".id in (${groupsOfHostSql})`, [host.id]),
      },
    },
    actions: {
      variable_data: variableData(db, 'host', permissions.host),
      engine_facts: factsAction(db, permissions.host.see),
      ansible_facts: factsAction(db, permissions.host.see),
    },
    summaries: hostSummaries,
    validate: checkHost,
    beforeDelete: (trx, row) => assertNoActiveRuns(trx, (runs) => void runs.where('inventory_id', row.inventory_id)),
  });
