import { type Action, type Resource, type Rule, type Sublist, defineResource, field } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../../descriptors/compile.ts';
import { underEachFactsName } from '../../config/named-alike.ts';
import { assertNoActiveRuns } from '../../runs/active-runs.ts';
import { assertMayGo, checkHost } from '../../inventory/check.ts';
import { originalOf } from '../../inventory/host-ids.ts';
import { assertHostLimit } from '../../inventory/host-limit.ts';
import { hostSummaries } from '../../inventory/host-summaries.ts';
import { assertOneInventory, groupsOfHostSql } from '../../inventory/membership.ts';
import { smartInventoriesOfHost } from '../../inventory/smart/of-host-action.ts';
import { variableData, type VariableServices } from '../../inventory/variable-data.ts';
import { partAccess, partRights } from './part-rules.ts';

const factsModified = '(select f.modified from host_facts f where f.host_id = {alias}.id)';

const fields = {
  name: field.string({ required: true }),
  description: field.text(),
  inventory: field.ref('inventory', { required: true, nullable: false, mode: 'create' }),
  enabled: field.boolean({ default: true }),
  instance_id: field.string({ max: 1024 }),
  variables: field.jsonText({ engineTags: true }),
  has_active_failures: field.boolean({
    mode: 'ro',
    sql: 'coalesce((select s.failed from job_host_summaries s where s.id = {alias}.last_job_host_summary_id), false)',
  }),
  engine_facts_modified: field.datetime({ mode: 'ro', nullable: true, sql: factsModified }),
  ansible_facts_modified: field.datetime({ mode: 'ro', nullable: true, sql: factsModified }),
};

const factsHold = `exists (select 1 from host_facts hf join facts f on f.hash = hf.hash where hf.host_id = {alias}.id and f.document @> ?::jsonb)`;

const expression = {
  parameter: 'host_filter',
  help: 'Conditions with and, or, not and parentheses, as smart inventories have them: `groups__name=web and ansible_facts__ansible_os_family=Debian`.',
  documents: { ansible_facts: factsHold, engine_facts: factsHold },
};

/** Where a host of a constructed inventory comes from; anything else has none. */
const originalSql = `(select found.id from inventories i join lateral (select o.id from ${originalOf('{alias}')}) found on true
  where i.id = {alias}.inventory_id and i.kind = 'constructed')`;

/** Facts of a constructed host are those of its original. */
const factsAction = (db: Knex, see: Rule, name: string): Action => ({
  access: { GET: see },
  summary: 'The facts that the newest job with a fact cache gathered',
  answers: { GET: [{ schema: { type: 'object' } }, { status: 302, empty: true }] },
  async handler(_call, host) {
    const original = host['original_id'];
    if (typeof original === 'number')
      return { status: 302, headers: { Location: `/api/v2/hosts/${original}/${name}/` } };
    const row = await db('host_facts as h')
      .join('facts as f', 'f.hash', 'h.hash')
      .where('h.host_id', host.id)
      .first('f.document');
    return { status: 200, body: row?.document ?? {} };
  },
});

const sublists: Record<string, Sublist> = {
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
};

interface Services extends VariableServices {
  readonly catalog?: Catalog;
}

export const hostResource = (services: Services): Resource => {
  const { db, settings } = services;
  return defineResource({
    type: 'host',
    path: 'hosts',
    table: 'hosts',
    label: 'Host',
    description: 'A machine of an inventory, with its variables and the facts that runs have gathered.',
    fields,
    access: partAccess,
    rights: partRights,
    capabilities: { edit: 'change', delete: 'delete' },
    stream: true,
    orderBy: ['name', 'id'],
    search: ['name', 'description'],
    expression,
    naming: ['name', 'inventory'],
    spans: { groups: { resource: 'group', through: { table: 'group_hosts', parent: 'host_id', child: 'group_id' } } },
    unique: {
      hosts_name_inventory: { field: '__all__', message: 'Host with this Name and Inventory already exists.' },
    },
    sublists,
    actions: {
      variable_data: variableData({ db, settings }, 'host', partAccess),
      ...underEachFactsName((name) => factsAction(db, partAccess.see, name)),
      smart_inventories: smartInventoriesOfHost(services, partAccess.see),
    },
    extraSql: { original_id: originalSql },
    related: ({ original_id: original }): Record<string, string> =>
      typeof original === 'number'
        ? {
            original_host: `/api/v2/hosts/${original}/`,
            engine_facts: `/api/v2/hosts/${original}/engine_facts/`,
            ansible_facts: `/api/v2/hosts/${original}/ansible_facts/`,
          }
        : {},
    summaries: hostSummaries,
    validate: checkHost,
    afterCreate: ({ trx }, row) => assertHostLimit(trx, row.inventory_id, [row.id]),
    async afterUpdate({ trx, before }, row) {
      if (row.name !== before.name) await assertHostLimit(trx, row.inventory_id, [row.id]);
    },
    async beforeDelete(trx, row) {
      await assertMayGo(trx, row.inventory_id);
      await assertNoActiveRuns(trx, (runs) => void runs.where('inventory_id', row.inventory_id));
    },
  });
};
