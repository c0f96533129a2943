import { type Resource, ApiError, defineResource, field } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { assertNoActiveRuns } from '../engine/active-runs.ts';
import { checkInventory } from '../inventory/check.ts';
import { copyAction } from '../inventory/copy-action.ts';
import { countSql } from '../inventory/counts.ts';
import { inventoryLabelSql, inventoryLabels } from '../inventory/labels.ts';
import { scriptAction } from '../inventory/script-action.ts';
import { treeAction } from '../inventory/tree-action.ts';
import { variableData } from '../inventory/variable-data.ts';
import { findVariablesProblem } from '../inventory/variables.ts';
import type { Doors } from '../rbac/doors.ts';
import { type CorePermissions, inventoryLinks } from '../rbac/permissions.ts';
import { assertLinks } from '../rbac/rights.ts';
import { labelsOf } from './label.ts';
import { instanceGroupsOf } from './ordered-lists.ts';

const kinds = [
  ['', 'Holds its own hosts'],
  ['smart', 'Hosts found by a filter'],
  ['constructed', 'Built from other inventories'],
  ['federated', 'A view over other inventories'],
] as const;

const fields = {
  name: field.string({ required: true }),
  description: field.text(),
  organization: field.ref('organization', { required: true, nullable: false }),
  kind: field.choice(kinds, { mode: 'create' }),
  host_filter: field.text({ nullable: true }),
  variables: field.jsonText({ check: findVariablesProblem }),
  has_active_failures: field.boolean({ mode: 'ro', sql: countSql.has_active_failures }),
  total_hosts: field.integer({ mode: 'ro', sql: countSql.total_hosts }),
  hosts_with_active_failures: field.integer({ mode: 'ro', sql: countSql.hosts_with_active_failures }),
  total_groups: field.integer({ mode: 'ro', sql: countSql.total_groups }),
  // inventory sources come with their own issue
  has_inventory_sources: field.boolean({ mode: 'ro', sql: 'false' }),
  total_inventory_sources: field.integer({ mode: 'ro', sql: '0' }),
  inventory_sources_with_failures: field.integer({ mode: 'ro', sql: '0' }),
  pending_deletion: field.boolean({ mode: 'ro' }),
  prevent_instance_group_fallback: field.boolean(),
};

const sublists: Resource['sublists'] = {
  job_templates: { resource: 'job_template', column: 'inventory_id' },
  instance_groups: instanceGroupsOf('inventory'),
  labels: labelsOf('inventory'),
  // what belongs to the inventory ends when it is detached
  hosts: { resource: 'host', column: 'inventory_id', attach: true, create: true },
  groups: { resource: 'group', column: 'inventory_id', attach: true, create: true },
  root_groups: {
    resource: 'group',
    column: 'inventory_id',
    attach: true,
    create: true,
    where: (builder, _parent, alias) =>
      void builder.whereRaw(`not exists (select 1 from group_children c where c.child_id = "${alias}".id)`),
  },
};

/** Hosts and groups go along without entries of their own. */
async function partsOf(trx: Knex, inventory: number): Promise<Record<string, number>> {
  const { rows } = await trx.raw(
    `select (select count(*) from hosts where inventory_id = :inventory) as hosts_deleted,
       (select count(*) from groups where inventory_id = :inventory) as groups_deleted`,
    { inventory },
  );
  return rows[0];
}

interface Services {
  db: Knex;
  permissions: CorePermissions;
  doors?: Doors;
}

export const inventoryResource = ({ db, permissions, doors }: Services): Resource =>
  defineResource({
    type: 'inventory',
    path: 'inventories',
    root: 'inventory',
    table: 'inventories',
    label: 'Inventory',
    description: 'The hosts and groups that a run works on, with their variables.',
    fields,
    access: permissions.inventory,
    orderBy: ['name'],
    search: ['name', 'description'],
    summary: ['id', 'name', 'description', 'kind', 'organization_id'],
    naming: ['name', 'organization'],
    spans: {
      hosts: { resource: 'host', column: 'inventory_id' },
      groups: { resource: 'group', column: 'inventory_id' },
      labels: { resource: 'label', through: { table: 'inventory_labels', parent: 'inventory_id', child: 'label_id' } },
    },
    extraSql: inventoryLabelSql,
    summaries: inventoryLabels,
    unique: {
      inventories_name_organization: {
        field: '__all__',
        message: 'Inventory with this Name and Organization already exists.',
      },
    },
    sublists,
    actions: {
      copy: copyAction({ db, doors, rules: permissions.inventory }),
      variable_data: variableData(db, 'inventory', permissions.inventory),
      script: scriptAction(db, permissions.inventory.see),
      tree: treeAction(db, permissions.inventory.see),
    },
    async validate(context) {
      if (context.before) await assertLinks(context, inventoryLinks);
      checkInventory(context);
    },
    async beforeDelete(trx, row) {
      if (row.pending_deletion) throw new ApiError(400, { error: 'The inventory is being deleted already.' });
      await assertNoActiveRuns(trx, (runs) => void runs.where('inventory_id', row.id));
      return { coalesced_data: await partsOf(trx, row.id) };
    },
    // clients expect it to go in the background
    deleteStatus: 202,
  });
