import type { Knex } from 'knex';
import type { Catalog } from '../../descriptors/compile.ts';
import { inputsOfFederated } from '../federated.ts';
import { originalOf } from '../host-ids.ts';
import { isSmart, type SmartInventory, workingFilters } from './filter.ts';

interface Held {
  inventory_id: number;
  host_id: number;
}

/** Each takes the inventories and the hosts. */
const byKind = {
  '': `select h.inventory_id, h.id as host_id from hosts h where h.inventory_id = any (?::bigint[]) and h.id = any (?::bigint[])`,
  constructed: `select h.inventory_id, found.id as host_id from hosts h join lateral (select o.id from ${originalOf('h')}) found on true
    where h.inventory_id = any (?::bigint[]) and (h.name, found.id) in (select n.name, n.id from hosts n where n.id = any (?::bigint[]))`,
  federated: `select i.id as inventory_id, h.id as host_id from inventories i join hosts h on h.inventory_id in (${inputsOfFederated('i.id')})
    where i.id = any (?::bigint[]) and h.id = any (?::bigint[])`,
} as const;

/** Which of the hosts are in which of the inventories, of whatever kind: once their kinds are read, in one statement, by the numbers and names of the hosts. */
export async function hostsHeld(
  catalog: Catalog,
  inventories: readonly number[],
  hosts: readonly number[],
): Promise<Held[]> {
  if (!inventories.length || !hosts.length) return [];
  const { db } = catalog;
  const found: SmartInventory[] = await db('inventories')
    .whereIn('id', [...inventories])
    .select('id', 'kind', 'organization_id', 'host_filter');
  const parts: [sql: string, bindings: readonly Knex.RawBinding[]][] = Object.entries(byKind).flatMap(([kind, sql]) => {
    const ids = found.filter((one) => one.kind === kind).map(({ id }) => id);
    return ids.length ? [[sql, [ids, [...hosts]]]] : [];
  });
  for (const { id, sql, bindings } of workingFilters(catalog, found.filter(isSmart), hosts))
    parts.push([
      `select ?::bigint as inventory_id, f.id as host_id from (${sql}) f where f.id = any (?::bigint[])`,
      [id, ...(bindings as Knex.RawBinding[]), [...hosts]],
    ]);
  if (!parts.length) return [];
  const { rows } = await db.raw(
    parts.map(([sql]) => sql).join(' union all '),
    parts.flatMap(([, bindings]) => bindings),
  );
  return rows;
}
