import type { Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { shownInventories } from '../../inventory/shown-inventories.ts';
import { runLink } from '../../runs/templates/fields.ts';
import { runsOfTemplateSql, shownRuns } from '../../runs/templates/summaries.ts';

type Summary = Record<string, unknown>;

/** One credential as lists of them show it. */
const credentialJson = `jsonb_build_object('id', c.id, 'name', c.name, 'description', c.description,
  'kind', coalesce(ct.namespace, ct.kind), 'cloud', ct.kind = 'cloud', 'credential_type_id', ct.id)`;
const credentials = 'credentials c join credential_types ct on ct.id = c.credential_type_id';

/** Columns of a source's own statement. */
export const sourceSql = {
  ...runsOfTemplateSql,
  summary_credentials: `coalesce((select jsonb_agg(${credentialJson}) from ${credentials} where c.id = {alias}.credential_id), '[]')`,
};

/** Columns of an update's own statement. */
export const updateSql = {
  summary_credentials: `coalesce((select jsonb_agg(${credentialJson} order by c.id) from run_credentials x
    join ${credentials} on c.id = x.credential_id where x.run_id = {alias}.id), '[]')`,
};

/** The key `inventory` where there is one. */
async function inventoryOf(db: Knex, rows: readonly Row[]): Promise<(row: Row) => Summary> {
  const shown = await shownInventories(db, rows);
  return (row) => {
    const inventory = shown(row);
    return inventory ? { inventory } : {};
  };
}

export async function sourceSummaries(db: Knex, rows: readonly Row[]): Promise<Map<number, Summary>> {
  const inventory = await inventoryOf(db, rows);
  return new Map(
    rows.map((row) => [row.id, { ...inventory(row), credentials: row.summary_credentials, ...runsOfSource(row) }]),
  );
}

export async function updateSummaries(db: Knex, rows: readonly Row[]): Promise<Map<number, Summary>> {
  const inventory = await inventoryOf(db, rows);
  return new Map(rows.map((row) => [row.id, { ...inventory(row), credentials: row.summary_credentials }]));
}

/** Clients know a source's runs by two names: the one of all templates, and `update`. */
function runsOfSource(row: Row): Summary {
  const { current_job: current, ...last } = shownRuns(row) as Record<string, object | undefined>;
  const named = { ...last, ...(current && { current_job: current, current_update: current }) };
  return Object.fromEntries(Object.entries(named).map(([key, run]) => [key, { ...run, license_error: false }]));
}

export function relatedRuns(row: Row): Record<string, string | null> {
  const [current, last] = [
    runLink(row, 'current_run_id', 'inventory_updates'),
    runLink(row, 'last_run_id', 'inventory_updates'),
  ];
  return { current_job: current, current_update: current, last_job: last, last_update: last };
}
