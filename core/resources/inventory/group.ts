import { type Call, type Resource, type Row, type Sublist, defineResource, field } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../../descriptors/compile.ts';
import { assertNoActiveRuns } from '../../runs/active-runs.ts';
import { checkGroup } from '../../inventory/check.ts';
import { groupSummaries } from '../../inventory/host-summaries.ts';
import {
  ancestorsSql,
  assertNoCycle,
  assertOneInventory,
  descendantsSql,
  orphansOf,
} from '../../inventory/membership.ts';
import { removeParts } from '../../inventory/remove-parts.ts';
import { variableData, type VariableServices } from '../../inventory/variable-data.ts';
import { partAccess, partRights } from './part-rules.ts';

const children = { table: 'group_children', parent: 'parent_id', child: 'child_id' };
const parents = { table: 'group_children', parent: 'child_id', child: 'parent_id' };
const hosts = { table: 'group_hosts', parent: 'group_id', child: 'host_id' };

/** Naming a host that is there already, without variables of its own, means that host. */
async function sameNamedHost(
  db: Knex,
  group: Row & { inventory_id: number },
  { body }: Call,
): Promise<number | undefined> {
  const { name, variables } = body;
  const blank =
    variables === undefined ||
    variables === null ||
    (typeof variables === 'string' && ['', '{}', '---'].includes(variables.trim()));
  if (!blank || typeof name !== 'string' || name.includes('\0') || !name.isWellFormed()) return undefined;
  return (await db('hosts').where({ inventory_id: group.inventory_id, name: name.trim() }).first('id'))?.id;
}

const sublists: Record<string, Sublist> = {
  hosts: {
    resource: 'host',
    through: hosts,
    attach: true,
    create: true,
    inherit: ['inventory_id'],
    check: assertOneInventory,
    adopt: sameNamedHost,
  },
  children: {
    resource: 'group',
    through: children,
    attach: true,
    create: true,
    inherit: ['inventory_id'],
    check: assertNoCycle,
    detachDeletesParent: true,
  },
  all_hosts: {
    resource: 'host',
    where: (builder, group, alias) =>
      void builder.whereRaw(
        `"${alias}".id in (select m.host_id from group_hosts m where m.group_id in (${descendantsSql}))`,
        [group.id],
      ),
  },
  potential_children: {
    resource: 'group',
    where: (builder, group: Row & { inventory_id: number }, alias) =>
      void builder
        .where(`${alias}.inventory_id`, group.inventory_id)
        .whereRaw(`"${alias}".id not in (${descendantsSql})`, [group.id])
        .whereRaw(`"${alias}".id not in (${ancestorsSql})`, [group.id]),
  },
};

interface Services extends VariableServices {
  readonly catalog?: Catalog;
}

export const groupResource = (services: Services): Resource => {
  const { db, settings } = services;
  return defineResource({
    type: 'group',
    path: 'groups',
    table: 'groups',
    label: 'Group',
    description: 'Hosts of an inventory that share variables, and the groups within.',
    fields: {
      name: field.string({ required: true }),
      description: field.text(),
      inventory: field.ref('inventory', { required: true, nullable: false, mode: 'create' }),
      variables: field.jsonText({ engineTags: true }),
    },
    access: partAccess,
    rights: partRights,
    capabilities: { copy: 'copy', edit: 'change', delete: 'delete' },
    stream: true,
    orderBy: ['name', 'id'],
    search: ['name', 'description'],
    naming: ['name', 'inventory'],
    spans: {
      children: { resource: 'group', through: children },
      parents: { resource: 'group', through: parents },
      hosts: { resource: 'host', through: hosts },
    },
    unique: {
      groups_name_inventory: { field: '__all__', message: 'Group with this Name and Inventory already exists.' },
    },
    sublists,
    actions: { variable_data: variableData({ db, settings }, 'group', partAccess) },
    summaries: groupSummaries,
    validate: checkGroup,
    async beforeDelete(trx, row, call) {
      await assertNoActiveRuns(trx, (runs) => void runs.where('inventory_id', row.inventory_id));
      // detaching takes the group alone: its groups become roots and its hosts stay
      if (call.method !== 'DELETE') return;
      const orphans = await orphansOf(trx, row);
      const by = { catalog: services.catalog!, call };
      await removeParts(trx, by, 'host', orphans.hosts);
      await removeParts(trx, by, 'group', orphans.groups);
    },
  });
};
