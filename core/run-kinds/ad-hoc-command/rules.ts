import type { RunAccess } from '@tapline/plugin-sdk';
import { parent } from '../../rbac/role-rules.ts';
import { allOf, anyOf, owner, superuser } from '../../rbac/rules.ts';

const ofInventory = (field: string) => parent('inventory_id', 'inventory', field);

/** What hosts, groups and inventories ask of who runs a command on them. */
export const mayRunOn = ofInventory('adhoc_role');

const run = allOf(mayRunOn, parent('credential_id', 'credential', 'use_role', { alsoEmpty: true }));

/** contract/jobs.md §19, contract/rbac.md §7 */
export const commandAccess = {
  see: ofInventory('read_role'),
  create: run,
  delete: parent('organization_id', 'organization', 'admin_role'),
  cancel: anyOf(superuser, owner('created_by_id'), ofInventory('admin_role')),
  start: run,
} satisfies RunAccess;
