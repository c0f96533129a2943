import { type Action, type Call, type Rule, ApiError, ValidationError, field } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { copyName } from '../engine/copy-name.ts';
import { copyFields } from '../launch/launch-fields.ts';
import type { Doors } from '../rbac/doors.ts';

interface Deps {
  db: Knex;
  doors?: Doors;
  rules: { see: Rule; copy: Rule };
}

const copied = [
  'description',
  'organization_id',
  'kind',
  'host_filter',
  'variables',
  'prevent_instance_group_fallback',
];

/** `…/copy/`: another inventory of the same organization with hosts, groups and who is in which; what runs left there stays behind. */
export const copyAction = ({ db, doors, rules: { see, copy } }: Deps): Action => ({
  access: { GET: see, POST: copy },
  summary: 'Copy it under another name',
  fields: copyFields,
  answers: { GET: { fields: { can_copy: field.boolean() } }, POST: { status: 201, type: 'inventory' } },
  async handler(call, inventory) {
    if (call.method === 'GET') return { status: 200, body: { can_copy: await copy.row(call.actor, inventory, db) } };
    const name = copyName(call.body['name'], inventory.name);
    const id = await db.transaction(async (trx) => {
      const original = await trx('inventories').where({ id: inventory.id }).forShare().first();
      if (!original || original.pending_deletion) throw new ApiError(400, { error: 'The inventory is being deleted.' });
      const columns = Object.fromEntries(copied.map((column) => [column, original[column]]));
      const author = call.actor?.id ?? null;
      const [row] = await trx('inventories')
        .insert({ ...columns, name, created_by_id: author, modified_by_id: author })
        .onConflict()
        .ignore()
        .returning('*');
      if (!row) throw ValidationError.field('__all__', 'An inventory with this name and organization already exists.');
      await copyParts(trx, call, doors, { from: original.id, to: row.id });
      await call.copyExtensions(trx, 'inventory', original.id, row.id);
      await call.written(trx, 'inventory', row);
      return row.id as number;
    });
    const [body] = await call.represent('inventory', [id], 'detail');
    return { status: 201, body, headers: { Location: `/api/v2/inventories/${id}/` } };
  },
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
}
