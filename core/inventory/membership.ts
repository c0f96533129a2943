import { ApiError, type Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { assertNotTooDeep } from './groups/nesting.ts';

type Member = Row & { inventory_id: number };

export async function assertOneInventory(_trx: Knex, parent: Member, child: Member): Promise<void> {
  if (parent.inventory_id !== child.inventory_id) throw new ApiError(400, 'Both must belong to the same inventory.');
}

/** Subqueries of group ids: `?` is the group where the walk starts, which is part of the result. */
export const descendantsSql = `with recursive below (id) as (
  select ?::bigint union select c.child_id from group_children c join below b on c.parent_id = b.id) select id from below`;
export const ancestorsSql = `with recursive above (id) as (
  select ?::bigint union select c.parent_id from group_children c join above a on c.child_id = a.id) select id from above`;
/** The groups of a host with everything above them. */
export const groupsOfHostSql = `with recursive above (id) as (
  select group_id from group_hosts where host_id = ? union select c.parent_id from group_children c join above a on c.child_id = a.id) select id from above`;

/** One tree changes at a time per inventory: two halves of a cycle attached at once would not see each other. */
export const lockTree = (trx: Knex, inventoryId: number) =>
  trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 1))', [`group tree ${inventoryId}`]);

export async function assertNoCycle(trx: Knex, parent: Member, child: Member): Promise<void> {
  await assertOneInventory(trx, parent, child);
  await lockTree(trx, parent.inventory_id);
  const { rows } = await trx.raw(`select 1 from (${descendantsSql}) below where id = ?`, [child.id, parent.id]);
  if (rows.length) throw new ApiError(400, { error: 'The group would contain itself: cycles are not allowed.' });
  await assertNotTooDeep(trx, parent.id, child.id);
}

/**
 * The groups below a group that have no other parent left, and the hosts that are in no other group:
 * what goes with it when it is deleted.
 */
export async function orphansOf(trx: Knex, group: Member): Promise<{ groups: number[]; hosts: number[] }> {
  await lockTree(trx, group.inventory_id);
  const edges: { parent_id: number; child_id: number }[] = await trx('group_children as c')
    .join('groups as g', 'g.id', 'c.parent_id')
    .where('g.inventory_id', group.inventory_id)
    .select('c.parent_id', 'c.child_id');
  const children = Map.groupBy(edges, (edge) => edge.parent_id);
  const parentsLeft = new Map<number, number>();
  for (const { child_id } of edges) parentsLeft.set(child_id, (parentsLeft.get(child_id) ?? 0) + 1);
  const doomed = [group.id];
  // every doomed parent takes one from its children; a child with none left is doomed too
  for (const id of doomed) {
    for (const { child_id } of children.get(id) ?? []) {
      const left = parentsLeft.get(child_id)! - 1;
      parentsLeft.set(child_id, left);
      if (left === 0) doomed.push(child_id);
    }
  }
  const hosts: { id: number }[] = await trx('group_hosts as m')
    .distinct({ id: 'm.host_id' })
    .whereRaw('m.group_id = any (?)', [doomed])
    .whereNotExists((other: Knex.QueryBuilder) =>
      other
        .from('group_hosts as o')
        .select(trx.raw('1'))
        .whereRaw('o.host_id = m.host_id and o.group_id <> all (?)', [doomed]),
    );
  return { groups: doomed.slice(1), hosts: hosts.map(({ id }) => id) };
}
