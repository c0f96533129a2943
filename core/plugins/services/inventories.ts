import type { InventoryService } from '@tapline/plugin-sdk';
import { hostsHeld } from '../../inventory/smart/hosts-held.ts';
import type { CoreServices } from './core-services.ts';

/** The catalog is compiled after the plugins have registered. */
export const inventoriesOf = (core: Pick<CoreServices, 'db' | 'catalog'>): InventoryService => ({
  holding: (inventories, hosts, db = core.db) => hostsHeld({ ...core.catalog, db }, inventories, hosts),
});
