import { ApiError, SpecError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../descriptors/compile.ts';
import type { DocumentOptions } from './document.ts';
import { enabledHosts, federatedInputs, isFederated } from './federated.ts';
import { isSmart, smartHosts, type SmartInventory } from './smart/filter.ts';

/** Where the contents of an inventory are that holds none itself; nothing where it does. @throws SpecError where its filter does not work */
export async function contentsElsewhere(
  deps: { db: Knex; readonly catalog?: Catalog },
  inventory: SmartInventory,
): Promise<Pick<DocumentOptions, 'hosts' | 'inputs'>> {
  if (isFederated(inventory)) return { inputs: await federatedInputs(deps.db, inventory.id) };
  if (!isSmart(inventory)) return {};
  try {
    const rows: { id: number }[] = await smartHosts(deps.catalog!, inventory);
    return { hosts: rows.map(({ id }) => id) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new SpecError(`The host filter of the inventory does not work: ${String(error.body.detail)}`);
  }
}

/**
 * How many hosts a run on the inventory has, each name once: its own, those that its filter finds or those that it shows, the
 * enabled ones of them, but for some. As it is now: what is updated first may change it. @throws SpecError as above
 */
export async function countHosts(
  { db, catalog }: { db: Knex; readonly catalog?: Catalog },
  id: number,
  without: readonly string[],
): Promise<number> {
  const inventory: SmartInventory | undefined = await db('inventories').where({ id }).first();
  if (!inventory) return 0;
  // its filter is asked within the transaction of the caller, who has a connection
  const { hosts, inputs } = await contentsElsewhere({ db, ...(catalog && { catalog: { ...catalog, db } }) }, inventory);
  const { rows } = await db.raw(
    `select count(distinct name) as hosts from hosts
     where ${hosts ? 'id' : 'inventory_id'} = any (?::bigint[]) and enabled and not name = any (?::text[])`,
    [[...(hosts ?? inputs ?? [id])], [...without]],
  );
  return Number(rows[0].hosts);
}

interface RunOnInventory {
  id: number;
  inventory: SmartInventory | null;
}

export interface HostsOfRun {
  /** where its document is read from, if not from the inventory itself */
  contents?: Pick<DocumentOptions, 'hosts' | 'inputs'>;
  /** whom facts and results belong to, where that is somebody else */
  owners?: number[] | undefined;
}

/**
 * The same for a run that is about to begin, which keeps whom their names stand for: what is learnt about a host of a constructed
 * inventory belongs to its original. @throws SpecError as above
 */
export async function hostsForRun(
  deps: { db: Knex; readonly catalog?: Catalog },
  { id, inventory }: RunOnInventory,
): Promise<HostsOfRun> {
  if (!inventory?.kind) return {};
  const contents = await contentsElsewhere(deps, inventory);
  const { hosts: ids, inputs } = contents;
  const found = ids ? ownersFound : inputs ? enabledHosts : ownersOfConstructed;
  const { rows } = await deps.db.raw(
    `with owners as (${found}),
       former as (delete from run_hosts where run_id = :id and name not in (select name from owners))
     insert into run_hosts (run_id, name, host_id) select :id, name, host_id from owners
     on conflict (run_id, name) do update set host_id = excluded.host_id returning host_id`,
    { id, ids: ids ?? [], inputs: inputs ?? [], inventory: inventory.id },
  );
  return { contents, owners: rows.map(({ host_id }: { host_id: number }) => host_id) };
}

/** SQL of the number in a text, if it is one. */
const hostNumber = (text: string) => `case when ${text} ~ '^[0-9]{1,15}$' then ${text}::bigint end`;

/**
 * SQL of what the host `shadow` of a constructed inventory stands for, as `o`: updates note it in `instance_id`. Whatever stands
 * there, it is a host of the same name in one of the inputs: nobody gets at others by their numbers.
 */
export const originalOf = (shadow: string) => `hosts o join inventories oi on oi.id = o.inventory_id
  where o.id = ${hostNumber(`${shadow}.instance_id`)} and o.name = ${shadow}.name and exists (
    select from inventory_inputs n join inventories ni on ni.id = n.input_id where n.inventory_id = ${shadow}.inventory_id
      and (ni.id = o.inventory_id or (ni.kind = 'smart' and ni.organization_id = oi.organization_id)))`;

const ownersFound = 'select h.name, h.id as host_id from hosts h where h.id = any (:ids)';
const ownersOfConstructed = `select h.name, found.id as host_id from hosts h join lateral (select o.id from ${originalOf('h')}) found on true
  where h.inventory_id = :inventory`;
