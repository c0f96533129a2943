import type { Access } from '@tapline/plugin-sdk';
import type { LinkRight } from '../../rbac/rights.ts';
import { parent, role } from '../../rbac/role-rules.ts';
import { allOf, columnIs, not } from '../../rbac/rules.ts';

const usesCredential = parent('credential_id', 'credential', 'use_role', { alsoEmpty: true });
const verifies = parent('signature_validation_credential_id', 'credential', 'use_role', { alsoEmpty: true });
const makes = allOf(parent('organization_id', 'organization', 'project_admin_role'), usesCredential, verifies);
const kept = role('project', 'admin_role');
const seen = role('project', 'read_role');
const update = role('project', 'update_role');
const fetched = not(columnIs('scm_type', ''));

export const projectAccess = { see: seen, create: makes, change: kept, delete: kept } satisfies Access;
export const projectRights = {
  update,
  start: allOf(update, fetched),
  copy: allOf(seen, makes, fetched),
};

/** What a change needs besides: roles on what the project names, before and after. */
export const projectLinks: LinkRight[] = [
  ['organization_id', 'organization', 'project_admin_role'],
  ['credential_id', 'credential', 'use_role'],
  ['signature_validation_credential_id', 'credential', 'use_role'],
];
