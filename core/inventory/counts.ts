import type { Knex } from 'knex';

const hosts = 'select count(*) from hosts h where h.inventory_id = {alias}.id';
const failed = `select count(*) from hosts h join job_host_summaries s on s.id = h.last_job_host_summary_id where h.inventory_id = {alias}.id and s.failed`;
const groups = 'select count(*) from groups g where g.inventory_id = {alias}.id';

/** What an inventory counts, as scalar subqueries over its row. */
export const countSql = {
  total_hosts: `(${hosts})`,
  hosts_with_active_failures: `(${failed})`,
  has_active_failures: `exists (${failed.replace('count(*)', '1')})`,
  total_groups: `(${groups})`,
} as const;

/**
 * What hosts and groups show of their inventory: counted once per inventory of the page, not once
 * per row, since a page of hosts mostly shares one inventory.
 */
export async function inventorySummaries(
  db: Knex,
  ids: readonly number[],
): Promise<Map<number, Record<string, unknown>>> {
  const counted = Object.entries(countSql).map(([name, sql]) => `${sql.replaceAll('{alias}', 'i')} as ${name}`);
  const { rows } = await db.raw(
    `select i.id, i.name, i.description, i.organization_id, i.kind, ${counted.join(', ')} from inventories i where i.id = any (?)`,
    [[...new Set(ids)]],
  );
  return new Map(
    rows.map((row: { id: number }) => [
      row.id,
      {
        ...row,
        has_inventory_sources: false,
        total_inventory_sources: 0,
        inventory_sources_with_failures: 0,
      },
    ]),
  );
}
