import type { Access } from '@tapline/plugin-sdk';
import { administers, managing, type RoleSettings } from '../rbac/people.ts';
import type { LinkRight } from '../rbac/rights.ts';
import { parent, role } from '../rbac/role-rules.ts';
import { allOf, anyOf, columnIs, owner, superuser, via } from '../rbac/rules.ts';

const makes = parent('organization_id', 'organization', 'credential_admin_role');
const kept = allOf(role('credential', 'admin_role'), columnIs('managed', false));
const used = role('credential', 'use_role');

export const credentialAccess = (settings: RoleSettings) =>
  ({
    see: role('credential', 'read_role'),
    // exactly one owner is given, which the validation sees to
    create: anyOf(
      superuser,
      owner('user_id'),
      makes,
      via('user_id', 'users', administers(settings)),
      allOf(managing(settings), parent('team', 'team', 'admin_role')),
    ),
    change: kept,
    delete: kept,
  }) satisfies Access;

export const credentialRights = {
  use: used,
  copy: allOf(used, anyOf(superuser, owner('user_id'), makes)),
};

export const credentialLinks: LinkRight[] = [['organization_id', 'organization', 'credential_admin_role']];
