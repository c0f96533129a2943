import type { Access } from '@tapline/plugin-sdk';
import { parent } from '../../rbac/role-rules.ts';

const ofInventory = (field: string) => parent('inventory_id', 'inventory', field);
const kept = ofInventory('admin_role');

/** Hosts and groups are their inventory's: who may read or administer that one may read or administer them. */
export const partAccess = { see: ofInventory('read_role'), create: kept, change: kept, delete: kept } satisfies Access;
export const partRights = { copy: kept };
