import type { Actor, Builder } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { roleTables } from './definitions.ts';
import { mayRevokeAll } from './grant-rights.ts';
import { type Grant, accessRoles, grantsOf } from './grant-paths.ts';
import type { RoleSettings } from './people.ts';
import { teamNames } from './role-links.ts';

export interface AccessEntry {
  role: Record<string, unknown>;
  descendant_roles: string[];
}

export interface UserAccess {
  direct_access: AccessEntry[];
  indirect_access: AccessEntry[];
}

/**
 * `access_list` of a record in two steps, so that the catalog pages, filters and orders the users in between:
 * `narrow` leaves those with any role on the record, `entries` says how each user of the page got it.
 * Six statements at any page size: one here, up to five in `entries`.
 */
export async function accessList(db: Knex, type: string, id: number) {
  const roles = await accessRoles(db, type, id);
  return {
    narrow: (builder: Builder, alias: string, roleIds?: readonly number[]): void => {
      const wanted = roles.map((role) => role.id).filter((role) => !roleIds || roleIds.includes(role));
      builder.whereRaw(
        `("${alias}".id in (select g.user_id from role_users g where g.role_id = any (?)) or "${alias}".id in (select m.user_id from team_users m join role_teams g on g.team_id = m.team_id and (m.is_admin or not g.for_admins) where g.role_id = any (?)))`,
        [wanted, wanted],
      );
    },
    entries: async (
      users: readonly number[],
      actor: Actor | null,
      settings: RoleSettings,
    ): Promise<Map<number, UserAccess>> => {
      const grants = await grantsOf(db, roles, users);
      const teams = await teamNames(db, [...new Set(grants.flatMap((grant) => grant.team_id ?? []))]);
      const revocable = await mayRevokeAll(db, actor, settings, grants);
      const found = new Map<number, UserAccess>(
        users.map((user) => [user, { direct_access: [], indirect_access: [] }]),
      );
      for (const [index, grant] of grants.entries()) {
        const direct = grant.team_id !== null || grant.role.own;
        found
          .get(grant.user_id)
          ?.[direct ? 'direct_access' : 'indirect_access'].push(entry(grant, teams, revocable[index]!));
      }
      return found;
    },
  };
}

function entry({ role, team_id }: Grant, teams: Awaited<ReturnType<typeof teamNames>>, unattach: boolean): AccessEntry {
  const { content_type: type } = role;
  const team = team_id === null ? undefined : teams.get(team_id);
  return {
    role: {
      id: role.id,
      name: role.name,
      description: role.description,
      ...(type && {
        resource_name: role.resource_name,
        resource_type: type,
        related: { [type]: `/api/v2/${roleTables[type].path}/${role.object_id}/` },
      }),
      ...(team && { team_id, team_name: team.name, team_organization_name: team.organization_name }),
      user_capabilities: { unattach },
    },
    descendant_roles: role.gives,
  };
}
