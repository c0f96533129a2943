import { type Action, type Call, type Row, type Rule, ApiError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../descriptors/compile.ts';
import { copyAction } from '../descriptors/write/copy-action.ts';
import { unlinkUnusable } from '../descriptors/write/leave-out.ts';
import { assertHostLimit } from './host-limit.ts';
import { ownOfSource, readSourceOfConstructed, sourceOfConstructed } from './constructed/source.ts';
import { storeSmartCounts } from './smart/count.ts';
import type { SmartInventory } from './smart/filter.ts';
import type { Doors } from '../rbac/doors.ts';

interface Deps {
  services: { db: Knex; doors?: Doors; readonly catalog?: Catalog };
  rules: { see: Rule; copy: Rule };
}

const columns = [
  'description',
  'organization_id',
  'kind',
  'host_filter',
  'variables',
  'prevent_instance_group_fallback',
];

/** Another inventory of the same organization with hosts, groups and who is in which; what runs left there stays behind. */
export const copyInventoryAction = ({ services, rules }: Deps): Action =>
  copyAction({
    db: services.db,
    type: 'inventory',
    table: 'inventories',
    rules,
    columns(original) {
      if (original.pending_deletion) throw new ApiError(400, { error: 'The inventory is being deleted.' });
      return Object.fromEntries(columns.map((column) => [column, original[column]]));
    },
    async after(trx, copied, original, call) {
      const way = { from: original.id, to: copied.id };
      // what comes of inputs comes of the copy's own first update
      if (copied['kind'] === 'constructed') await copySource(trx, call, original, copied);
      else await copyParts(trx, call, services.doors, way);
      await copyLinks(trx, call, way);
      await copyInputs(trx, call, way);
      await storeSmartCounts(trx, services.catalog!, [copied as Row & SmartInventory]);
    },
  });

async function copySource(trx: Knex, call: Call, original: Row, copied: Row): Promise<void> {
  const from = await readSourceOfConstructed(trx, original);
  if (!from) return;
  const to = await sourceOfConstructed(trx, call, copied);
  await trx('templates')
    .where({ id: to.id })
    .update(Object.fromEntries(ownOfSource.map((name) => [name, from[name]])));
}

/** Attaching one takes the right to see it, so the copy has those alone. */
async function copyInputs(trx: Knex, call: Call, { from, to }: Way): Promise<void> {
  const inputs: number[] = await trx('inventory_inputs')
    .where({ inventory_id: from })
    .orderBy('position')
    .pluck('input_id');
  const seen = await call.visible('inventory', inputs);
  const rows = inputs.filter((id) => seen.has(id)).map((input_id) => ({ inventory_id: to, input_id }));
  if (rows.length) await trx('inventory_inputs').insert(rows);
}

interface Way {
  from: number;
  to: number;
}

/** Names are unique within an inventory, so they tell which copy belongs to which original. */
async function copyParts(trx: Knex, call: Call, doors: Doors | undefined, { from, to }: Way): Promise<void> {
  const values = { from, to, author: call.actor?.id ?? null };
  const insert = async (type: 'host' | 'group', columns: string) => {
    const { rows } = await trx.raw(
      `insert into ${type}s (inventory_id, ${columns}, created_by_id, modified_by_id)
       select :to::bigint, ${columns}, :author::bigint, :author::bigint from ${type}s where inventory_id = :from order by id returning *`,
      values,
    );
    if (type === 'host')
      await assertHostLimit(
        trx,
        to,
        rows.map(({ id }: { id: number }) => id),
      );
    if (rows.length) await doors?.check(type, 'create', { trx, actor: call.actor, rows });
  };
  await insert('host', 'name, description, enabled, instance_id, variables');
  await insert('group', 'name, description, variables');
  const twin = (table: string, old: string, made: string) =>
    `join ${table} ${old} on ${old}.id = %s and ${old}.inventory_id = :from join ${table} ${made} on ${made}.inventory_id = :to and ${made}.name = ${old}.name`;
  await trx.raw(
    `insert into group_hosts (group_id, host_id) select g2.id, h2.id from group_hosts l
     ${twin('groups', 'g1', 'g2').replace('%s', 'l.group_id')} ${twin('hosts', 'h1', 'h2').replace('%s', 'l.host_id')}`,
    values,
  );
  await trx.raw(
    `insert into group_children (parent_id, child_id) select p2.id, c2.id from group_children l
     ${twin('groups', 'p1', 'p2').replace('%s', 'l.parent_id')} ${twin('groups', 'c1', 'c2').replace('%s', 'l.child_id')}`,
    values,
  );
}

/** Those alone that whoever copies could link to an inventory of their own. */
async function copyLinks(trx: Knex, call: Call, way: Way): Promise<void> {
  const values = { ...way };
  await trx.raw(
    'insert into inventory_labels (inventory_id, label_id) select :to::bigint, label_id from inventory_labels where inventory_id = :from',
    values,
  );
  await trx.raw(
    `insert into inventory_instance_groups (inventory_id, instance_group_id)
     select :to::bigint, instance_group_id from inventory_instance_groups where inventory_id = :from order by position`,
    values,
  );
  await unlinkUnusable(trx, call, trx('inventory_instance_groups').where({ inventory_id: way.to }), 'instance_group');
  await unlinkUnusable(trx, call, trx('inventory_labels').where({ inventory_id: way.to }), 'label');
}
