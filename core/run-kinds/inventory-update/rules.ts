import type { Access, RunAccess } from '@tapline/plugin-sdk';
import { parent } from '../../rbac/role-rules.ts';
import { allOf, anyOf, owner } from '../../rbac/rules.ts';
import type { LinkRight } from '../../rbac/rights.ts';

const ofInventory = (field: string) => parent('inventory_id', 'inventory', field);
const kept = ofInventory('admin_role');
const update = ofInventory('update_role');

/** Sources are their inventory's; what they use needs the right to use it. */
export const sourceAccess = {
  see: ofInventory('read_role'),
  create: allOf(
    kept,
    parent('project_id', 'project', 'use_role', { alsoEmpty: true }),
    parent('credential_id', 'credential', 'use_role', { alsoEmpty: true }),
  ),
  change: kept,
  delete: kept,
} satisfies Access;

export const sourceRights = { update, start: update };

/** What a change needs besides: roles on what the source names, before and after. */
export const sourceLinks: LinkRight[] = [
  ['project_id', 'project', 'use_role'],
  ['credential_id', 'credential', 'use_role'],
];

export const inventoryUpdateAccess = {
  see: ofInventory('read_role'),
  delete: kept,
  cancel: anyOf(owner('created_by_id'), kept),
  start: update,
} satisfies RunAccess;
