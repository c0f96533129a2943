import type { Knex } from 'knex';

/** Ids of the run's inventory hosts by name, asked for once per name; null = no such host. */
export function createHostLookup(db: Knex, inventoryId: number | null) {
  const ids = new Map<string, number | null>([['', null]]);
  return async (names: Iterable<string>): Promise<ReadonlyMap<string, number | null>> => {
    const unknown = [...new Set(names)].filter((name) => !ids.has(name));
    if (!unknown.length) return ids;
    if (inventoryId !== null) {
      const { rows } = await db.raw('select id, name from hosts where inventory_id = ? and name = any(?)', [
        inventoryId,
        unknown,
      ]);
      for (const { id, name } of rows) ids.set(name, id);
    }
    for (const name of unknown) if (!ids.has(name)) ids.set(name, null);
    return ids;
  };
}
