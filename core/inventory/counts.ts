import type { Knex } from 'knex';
import { inputsOfFederated } from './federated.ts';

const hosts = 'select count(*) from hosts h where h.inventory_id = {alias}.id';
const failed = `select count(*) from hosts h join job_host_summaries s on s.id = h.last_job_host_summary_id where h.inventory_id = {alias}.id and s.failed`;
const groups = 'select count(*) from groups g where g.inventory_id = {alias}.id';
const exists = (counted: string) => `exists (${counted.replace('count(*)', '1')})`;
/** The same of those that a federated inventory shows: a plain one keeps its plain condition, for which there is an index. */
const ofInputs = (counted: string) =>
  counted.replace('= {alias}.id', `= any (array(${inputsOfFederated('{alias}.id')}))`);

/** Clouds and projects; what has no source of its own kind is no source. */
export const isSource = (alias: string) => `${alias}.source not in ('', 'file', 'custom', 'constructed')`;
const sources = `from templates s where s.inventory_id = {alias}.id and ${isSource('s')}`;

export const inventorySourceCounts = {
  has_inventory_sources: `exists (select ${sources})`,
  total_inventory_sources: `(select count(*) ${sources})`,
  inventory_sources_with_failures: `(select count(*) ${sources} and s.last_job_failed)`,
} as const;

const byKind = (smart: string, plain: string, federated: string) =>
  `case {alias}.kind when 'smart' then ${smart} when 'federated' then ${federated} else ${plain} end`;

/** What an inventory counts, as scalar subqueries over its row. */
export const countSql = {
  total_hosts: byKind('{alias}.smart_hosts', `(${hosts})`, `(${ofInputs(hosts)})`),
  hosts_with_active_failures: byKind('{alias}.smart_hosts_failed', `(${failed})`, `(${ofInputs(failed)})`),
  has_active_failures: byKind('{alias}.smart_hosts_failed > 0', exists(failed), exists(ofInputs(failed))),
  total_groups: `case when {alias}.kind = 'federated' then (${ofInputs(groups)}) else (${groups}) end`,
} as const;

/**
 * What hosts and groups show of their inventory: counted once per inventory of the page, not once
 * per row, since a page of hosts mostly shares one inventory.
 */
export async function inventorySummaries(
  db: Knex,
  ids: readonly number[],
): Promise<Map<number, Record<string, unknown>>> {
  const counted = Object.entries({ ...countSql, ...inventorySourceCounts }).map(
    ([name, sql]) => `${sql.replaceAll('{alias}', 'i')} as ${name}`,
  );
  const { rows } = await db.raw(
    `select i.id, i.name, i.description, i.organization_id, i.kind, ${counted.join(', ')} from inventories i where i.id = any (?)`,
    [[...new Set(ids)]],
  );
  return new Map(rows.map((row: { id: number }) => [row.id, row]));
}
