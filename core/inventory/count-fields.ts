import { field } from '@tapline/plugin-sdk';
import { countSql, inventorySourceCounts } from './counts.ts';

const ro = { mode: 'ro' } as const;

/** What each form of an inventory shows of its hosts and groups. */
export const partCountFields = {
  has_active_failures: field.boolean({ ...ro, sql: countSql.has_active_failures }),
  total_hosts: field.integer({ ...ro, sql: countSql.total_hosts }),
  hosts_with_active_failures: field.integer({ ...ro, sql: countSql.hosts_with_active_failures }),
  total_groups: field.integer({ ...ro, sql: countSql.total_groups }),
};

/** And of its sources. */
export const sourceCountFields = {
  has_inventory_sources: field.boolean({ ...ro, sql: inventorySourceCounts.has_inventory_sources }),
  total_inventory_sources: field.integer({ ...ro, sql: inventorySourceCounts.total_inventory_sources }),
  inventory_sources_with_failures: field.integer({ ...ro, sql: inventorySourceCounts.inventory_sources_with_failures }),
};
