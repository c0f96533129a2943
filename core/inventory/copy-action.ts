import { type Action, type Call, type Rule, ApiError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { copyAction } from '../descriptors/write/copy-action.ts';
import { assertHostLimit } from './host-limit.ts';
import type { Doors } from '../rbac/doors.ts';

interface Deps {
  db: Knex;
  doors?: Doors;
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
export const copyInventoryAction = ({ db, doors, rules }: Deps): Action =>
  copyAction({
    db,
    type: 'inventory',
    table: 'inventories',
    rules,
    columns(original) {
      if (original.pending_deletion) throw new ApiError(400, { error: 'The inventory is being deleted.' });
      return Object.fromEntries(columns.map((column) => [column, original[column]]));
    },
    after: (trx, copied, original, call) => copyParts(trx, call, doors, { from: original.id, to: copied.id }),
  });

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
  await trx.raw(
    'insert into inventory_labels (inventory_id, label_id) select :to::bigint, label_id from inventory_labels where inventory_id = :from',
    values,
  );
  await trx.raw(
    `insert into inventory_instance_groups (inventory_id, instance_group_id)
     select :to::bigint, instance_group_id from inventory_instance_groups where inventory_id = :from order by position`,
    values,
  );
  await trx.raw(
    `insert into inventory_inputs (inventory_id, input_id)
     select :to::bigint, input_id from inventory_inputs where inventory_id = :from order by position`,
    values,
  );
}
