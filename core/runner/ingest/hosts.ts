import type { Knex } from 'knex';

/**
 * The hosts that a run works on, by name: those of its inventory, or those that were noted for it. `run` and `inventory` are
 * SQL of their ids.
 */
export const hostsOfRun = (run: string, inventory: string): string =>
  `(select id, name, enabled from hosts where inventory_id = ${inventory} and not exists (select from run_hosts where run_id = ${run})
    union all select h.id, n.name, h.enabled from run_hosts n join hosts h on h.id = n.host_id where n.run_id = ${run})`;

/** Ids of the run's inventory hosts by name, asked for once per name; null = no such host. */
export function createHostLookup(db: Knex, run: { id: number; inventory_id: number | null }) {
  const ids = new Map<string, number | null>([['', null]]);
  return async (names: Iterable<string>): Promise<ReadonlyMap<string, number | null>> => {
    const unknown = [...new Set(names)].filter((name) => !ids.has(name));
    if (!unknown.length) return ids;
    if (run.inventory_id !== null) {
      const { rows } = await db.raw(
        `select id, name from ${hostsOfRun(':run', ':inventory')} h where name = any(:unknown)`,
        {
          run: run.id,
          inventory: run.inventory_id,
          unknown,
        },
      );
      for (const { id, name } of rows) ids.set(name, id);
    }
    for (const name of unknown) if (!ids.has(name)) ids.set(name, null);
    return ids;
  };
}
