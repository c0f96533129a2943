import type { Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { summaryOf, summaryPrefix } from '../descriptors/read/sql.ts';
import { recentCounts } from './recent-counts.ts';

export type Summary = Record<string, unknown>;

/** What others show of an inventory, beside what it counts; columns of its table. */
export const inventorySummary = ['id', 'name', 'description', 'kind', 'organization_id'];

export const ownInventory = (row: Row): Summary | null => summaryOf(row, 'inventory') ?? null;

/** The row as one that names this inventory. */
export const withInventory = (row: Row, inventory: Summary | null): Row => ({
  ...row,
  inventory_id: inventory?.['id'],
  [`${summaryPrefix}inventory`]: inventory,
});

/** The inventory of each row as the row's own statement shows it, with what it counts: for `summary_fields.inventory`. */
export async function shownInventories(db: Knex, rows: readonly Row[]): Promise<(row: Row) => Summary | null> {
  const counts = await recentCounts(
    db,
    rows.filter(ownInventory).map((row) => row['inventory_id'] as number),
  );
  return (row) => {
    const inventory = ownInventory(row);
    return inventory && { ...counts.get(row['inventory_id'] as number), ...inventory };
  };
}
