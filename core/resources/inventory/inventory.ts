import {
  type Access,
  type Call,
  type Resource,
  type Row,
  type RowOf,
  ApiError,
  defineResource,
  field,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { assertNoActiveRuns } from '../../runs/active-runs.ts';
import { checkInventory } from '../../inventory/check.ts';
import { copyInventoryAction } from '../../inventory/copy-action.ts';
import { sourceOfConstructed } from '../../inventory/constructed/source.ts';
import { partCountFields } from '../../inventory/count-fields.ts';
import { beginDeletion, partsOf } from '../../inventory/deletion.ts';
import { inventoryLabelSql, inventoryLabels } from '../../inventory/labels.ts';
import type { Catalog } from '../../descriptors/compile.ts';
import { inputsOfFederated, isFederated } from '../../inventory/federated.ts';
import { assertMovedHosts } from '../../inventory/host-limit.ts';
import { inputInventories } from '../../inventory/input-inventories.ts';
import { inventorySummary } from '../../inventory/shown-inventories.ts';
import { scriptAction } from '../../inventory/script-action.ts';
import { showSmartCounts, storeSmartCounts } from '../../inventory/smart/count.ts';
import { isSmart, type SmartInventory, smartHosts } from '../../inventory/smart/filter.ts';
import { treeAction } from '../../inventory/groups/tree-action.ts';
import { variableData, type VariableServices } from '../../inventory/variable-data.ts';
import type { Bus } from '../../queue/bus.ts';
import type { Queue } from '../../queue/queue.ts';
import type { Doors } from '../../rbac/doors.ts';
import { assertLinks, type LinkRight } from '../../rbac/rights.ts';
import { parent, role } from '../../rbac/role-rules.ts';
import { allOf } from '../../rbac/rules.ts';
import { labelsOf } from '../label.ts';
import { instanceGroupsOf } from '../ordered-lists.ts';

const kept = role('inventory', 'admin_role');
const makes = parent('organization_id', 'organization', 'inventory_admin_role');
const access = { see: role('inventory', 'read_role'), create: makes, change: kept, delete: kept } satisfies Access;
const rights = {
  adhoc: role('inventory', 'adhoc_role'),
  update: role('inventory', 'update_role'),
  copy: allOf(access.see, makes),
};
const links: LinkRight[] = [['organization_id', 'organization', 'inventory_admin_role']];

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
  variables: field.jsonText({ engineTags: true }),
  ...partCountFields,
  pending_deletion: field.boolean({ mode: 'ro' }),
  prevent_instance_group_fallback: field.boolean(),
};

/** Its hosts come from elsewhere, so that there is nothing to attach, detach or make. */
function assertHoldsHosts(_call: Call, { kind, pending_deletion: going }: Row): void {
  if (going) throw new ApiError(400, { error: 'The inventory is being deleted.' });
  if (kind)
    throw new ApiError(400, { error: `A ${String(kind)} inventory takes its hosts and groups from elsewhere.` });
}

const partsIn = { column: 'inventory_id', attach: true, create: true, refuse: assertHoldsHosts } as const;

/** Hosts and groups of inventories that show others are theirs. */
const shownOf = (inventory: Row) =>
  isFederated(inventory as Inventory)
    ? (builder: Knex.QueryBuilder, alias: string) =>
        void builder.whereRaw(`"${alias}".inventory_id in (${inputsOfFederated('?')})`, [inventory.id])
    : undefined;
const rootOnly = (builder: Knex.QueryBuilder, alias: string) =>
  void builder.whereRaw(
    `not exists (select 1 from group_children "${alias}_up" where "${alias}_up".child_id = "${alias}".id)`,
  );

const sublistsOf = (services: Services): Resource['sublists'] => ({
  instance_groups: instanceGroupsOf('inventory'),
  labels: labelsOf('inventory'),
  input_inventories: inputInventories,
  // what belongs to the inventory ends when it is detached
  hosts: {
    ...partsIn,
    resource: 'host',
    instead: (inventory) =>
      isSmart(inventory as Inventory)
        ? (builder, alias) =>
            void builder.whereRaw('??.id in (?)', [alias, smartHosts(services.catalog!, inventory as Inventory)])
        : shownOf(inventory),
  },
  groups: { ...partsIn, resource: 'group', instead: shownOf },
  root_groups: {
    ...partsIn,
    resource: 'group',
    instead(inventory) {
      const shown = shownOf(inventory);
      return (builder, alias) => {
        if (shown) shown(builder, alias);
        else builder.where(`${alias}.inventory_id`, inventory.id);
        rootOnly(builder, alias);
      };
    },
  },
});

interface Services extends VariableServices {
  bus: Bus;
  queue: Pick<Queue, 'addTasks'>;
  doors?: Doors;
  readonly catalog?: Catalog;
}

type Inventory = Row & SmartInventory;

/** Those that are made of others have an address of their own besides. */
const isView = (kind: string): boolean => kind === 'constructed' || kind === 'federated';
const holdsGroups = (kind: string): boolean => kind === '' || kind === 'constructed';
/** Where there are no groups, nothing leads to them. */
const ofGroups = ['groups', 'root_groups', 'inventory_sources', 'update_inventory_sources', 'tree'];

type Hooks = Pick<
  Resource<RowOf<typeof fields>>,
  'summaries' | 'validate' | 'afterCreate' | 'afterUpdate' | 'beforeDelete' | 'remove'
>;

/** What happens beside a read or write of an inventory. */
function hooksOf(services: Services): Hooks {
  const recount = (trx: Knex, row: Inventory) => storeSmartCounts(trx, services.catalog!, [row]);
  return {
    async summaries(trx, rows) {
      await showSmartCounts(trx, services.catalog!, rows);
      return inventoryLabels(trx, rows);
    },
    async validate(context) {
      if (context.before) await assertLinks(context, links);
      await checkInventory(context, { catalog: services.catalog!, makes });
    },
    afterCreate: async ({ trx }, row) => void (await recount(trx, row)),
    async afterUpdate({ trx, call, before }, row) {
      await assertMovedHosts(trx, before, row);
      if (row.kind === 'constructed') await sourceOfConstructed(trx, call, row);
      if (row.host_filter !== before.host_filter || row.organization_id !== before.organization_id)
        await recount(trx, row);
    },
    async beforeDelete(trx, row) {
      if (row.pending_deletion) throw new ApiError(400, { error: 'The inventory is being deleted already.' });
      await assertNoActiveRuns(trx, (runs) => void runs.where('inventory_id', row.id));
      return { coalesced_data: await partsOf(trx, row.id) };
    },
    remove: (trx, { id }) => beginDeletion(services, trx, id),
  };
}

export const inventoryResource = (services: Services): Resource => {
  const { db, settings } = services;
  return defineResource({
    type: 'inventory',
    path: 'inventories',
    root: 'inventory',
    table: 'inventories',
    label: 'Inventory',
    description: 'The hosts and groups that a run works on, with their variables.',
    fields,
    access,
    rights,
    capabilities: { edit: 'change', delete: 'delete', adhoc: 'adhoc', copy: 'copy' },
    stream: { parts: { host: 'inventory_id', group: 'inventory_id' } },
    orderBy: ['name'],
    search: ['name', 'description'],
    summary: inventorySummary,
    naming: ['name', 'organization'],
    spans: {
      hosts: { resource: 'host', column: 'inventory_id' },
      groups: { resource: 'group', column: 'inventory_id' },
      labels: { resource: 'label', through: { table: 'inventory_labels', parent: 'inventory_id', child: 'label_id' } },
    },
    extraSql: inventoryLabelSql,
    related: ({ id, kind }) => ({
      ...Object.fromEntries(holdsGroups(kind) ? [] : ofGroups.map((name) => [name, null])),
      ...(isView(kind) ? { [`${kind}_url`]: `/api/v2/${kind}_inventories/${id}/` } : { input_inventories: null }),
    }),
    unique: {
      inventories_name_organization: {
        field: '__all__',
        message: 'Inventory with this Name and Organization already exists.',
      },
    },
    sublists: sublistsOf(services),
    actions: {
      copy: copyInventoryAction({ services, rules: { see: access.see, copy: rights.copy } }),
      variable_data: variableData({ db, settings }, 'inventory', access),
      script: scriptAction(services, access.see),
      tree: treeAction(db, access.see),
    },
    ...hooksOf(services),
    deleteStatus: 202,
  });
};
