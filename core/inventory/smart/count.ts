import type { Knex } from 'knex';
import type { Catalog } from '../../descriptors/compile.ts';
import { isSmart, type SmartInventory, workingFilters } from './filter.ts';

interface Counted {
  id: number;
  hosts: number;
  failed: number;
}

/** What smart inventories hold now, in one statement; one whose filter does not work any more is left out. */
async function count(db: Knex, catalog: Catalog, inventories: readonly SmartInventory[]): Promise<Counted[]> {
  const parts = workingFilters(catalog, inventories);
  if (!parts.length) return [];
  const counted = parts.map(
    ({
      sql,
    }) => `select ?::bigint as id, count(*)::integer as hosts, count(*) filter (where j.failed)::integer as failed
      from (${sql}) m join hosts h on h.id = m.id left join job_host_summaries j on j.id = h.last_job_host_summary_id`,
  );
  const { rows } = await db.raw(
    counted.join(' union all '),
    parts.flatMap(({ id, bindings }) => [id, ...bindings]) as Knex.RawBinding[],
  );
  return rows;
}

/** Puts into the rows of a page what its smart inventories hold now. */
export async function showSmartCounts(
  db: Knex,
  catalog: Catalog,
  rows: (SmartInventory & Record<string, unknown>)[],
): Promise<void> {
  const smart = rows.filter(isSmart);
  const counted = new Map((await count(db, catalog, smart)).map((one) => [one.id, one]));
  for (const row of smart) {
    const { hosts = 0, failed = 0 } = counted.get(row.id) ?? {};
    Object.assign(row, {
      total_hosts: hosts,
      hosts_with_active_failures: failed,
      has_active_failures: failed > 0,
    });
  }
}

/** Remembers what smart inventories hold, for filters and for what only mentions them. */
export async function storeSmartCounts(
  db: Knex,
  catalog: Catalog,
  inventories: readonly SmartInventory[],
): Promise<number> {
  const counted = await count(db, catalog, inventories.filter(isSmart));
  const { rowCount } = await db.raw(
    `update inventories i set smart_hosts = c.hosts, smart_hosts_failed = c.failed
     from json_to_recordset(?::json) as c (id bigint, hosts integer, failed integer)
     where i.id = c.id and (i.smart_hosts, i.smart_hosts_failed) is distinct from (c.hosts, c.failed)`,
    [JSON.stringify(counted)],
  );
  return rowCount ?? 0;
}

const batch = 100;

/** All of them, for the clock. */
export async function recountSmart(db: Knex, catalog: Catalog): Promise<number> {
  let changed = 0;
  for (let after = 0; ;) {
    // one after the other: each looks through many hosts
    // oxlint-disable-next-line no-await-in-loop
    const rows: SmartInventory[] = await db('inventories')
      .where({ kind: 'smart' })
      .where('id', '>', after)
      .orderBy('id')
      .limit(batch)
      .select('id', 'kind', 'organization_id', 'host_filter');
    if (!rows.length) return changed;
    // oxlint-disable-next-line no-await-in-loop
    changed += await storeSmartCounts(db, catalog, rows);
    after = rows.at(-1)!.id;
  }
}
