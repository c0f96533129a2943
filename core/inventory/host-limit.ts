import { type Columns, forbidden, type Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';

/**
 * What is wrong with hosts that were added to inventories, in the transaction that added them: their organization may have no more
 * (`max_hosts`, names counted once). Whoever adds hosts in whatever way asks here, after storing them; two at once ask in turn.
 */
export async function hostLimitProblem(trx: Knex, inventory: number, added: readonly number[]): Promise<string | null> {
  const organization: { id: number; max_hosts: number } | undefined = await trx('inventories as i')
    .join('organizations as o', 'o.id', 'i.organization_id')
    .where('i.id', inventory)
    .where('o.max_hosts', '>', 0)
    .first('o.id', 'o.max_hosts');
  if (!organization || !added.length) return null;
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 2))', [`hosts of organization ${organization.id}`]);
  const { rows } = await trx.raw(
    `with named as (
       select h.name, bool_and(h.id = any (:added)) as new
       from hosts h join inventories i on i.id = h.inventory_id where i.organization_id = :id group by h.name)
     select count(*) > :max_hosts and bool_or(new) as exceeded from named`,
    { ...organization, added },
  );
  if (!rows[0].exceeded) return null;
  return `The organization may have ${organization.max_hosts} hosts and no more. Remove some, or ask a superuser to raise its max_hosts.`;
}

/** Hosts of an inventory that moved are new to its organization. @throws ApiError 403 */
export async function assertMovedHosts(trx: Knex, before: Columns, row: Row): Promise<void> {
  if (row['organization_id'] === before['organization_id']) return;
  await assertHostLimit(trx, row.id, await trx('hosts').where({ inventory_id: row.id }).pluck('id'));
}

/** @throws ApiError 403 */
export async function assertHostLimit(trx: Knex, inventory: number, added: readonly number[]): Promise<void> {
  const problem = await hostLimitProblem(trx, inventory, added);
  if (problem !== null) throw forbidden(problem);
}
