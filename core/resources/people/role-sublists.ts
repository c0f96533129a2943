import type { Actor, Builder, Call, Row, Shown, Sublist } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { RoleType } from '../../rbac/definitions.ts';
import { type GrantPair, givesSomething, mayGive, mayRevoke } from '../../rbac/grant-rights.ts';
import { type GrantRequest, changeGrant } from '../../rbac/grants.ts';
import type { RoleSettings } from '../../rbac/people.ts';
import { whereGivenToTeam, whereOfRecord } from '../../rbac/role-links.ts';
import { type RoleRow, findRole } from '../../rbac/roles.ts';
import { authenticated } from '../../rbac/rules.ts';

interface GrantServices {
  settings: RoleSettings;
}

const changed = async (trx: Knex, request: GrantRequest): Promise<boolean> => (await changeGrant(trx, request)).changed;

/** Lists through which roles are given and taken: who may is for `changeGrant` to say. */
const grants = (link: NonNullable<Sublist['link']>) =>
  ({ attach: true, write: authenticated, link }) satisfies Partial<Sublist>;

const directUsers = (builder: Builder, alias: string, type: RoleType, id: number, field: string) =>
  builder.whereRaw(
    `"${alias}".id in (select g.user_id from role_users g join roles r on r.id = g.role_id where r.content_type = ? and r.object_id = ? and r.role_field = ?)`,
    [type, id, field],
  );

/** `organizations/N/users/`, `/admins/`, `teams/N/users/`: the direct members of one role of the record. */
export const membersOf = (
  { settings }: GrantServices,
  type: RoleType,
  field: string,
  { offered, createRule }: Pick<Sublist, 'offered' | 'createRule'>,
): Sublist => ({
  resource: 'user',
  where: (builder, parent, alias) => void directUsers(builder, alias, type, parent.id, field),
  create: true,
  createRule,
  offered,
  ...grants(async (trx, parent, userId, call, { detach, created }) => {
    const role = await findRole(trx, type, parent.id, field);
    return changed(trx, {
      // who may make a user here may put it here, also before the user can be seen
      actor: created ? asSystem(call.actor) : call.actor,
      settings,
      roleId: role!.id,
      implied: true,
      userId,
      revoke: detach,
    });
  }),
});

const asSystem = (actor: Actor | null): Actor | null => actor && { ...actor, is_superuser: true };

export const usersOfRole = ({ settings }: GrantServices): Sublist => ({
  resource: 'user',
  offered: mayGive(settings),
  where: (builder, role, alias) =>
    void builder.whereRaw(`"${alias}".id in (select user_id from role_users where role_id = ?)`, [role.id]),
  ...grants(async (trx, role, userId, { actor }, { detach }) => {
    return changed(trx, { actor, settings, roleId: role.id, userId, revoke: detach });
  }),
});

export const teamsOfRole = ({ settings }: GrantServices): Sublist => ({
  resource: 'team',
  offered: mayGive(settings),
  where: (builder, role, alias) =>
    void builder.whereRaw(`"${alias}".id in (select team_id from role_teams where role_id = ? and not for_admins)`, [
      role.id,
    ]),
  ...grants(async (trx, role, teamId, { actor, body }) => {
    // here alone the value counts, not that the key is there
    return changed(trx, { actor, settings, roleId: role.id, teamId, revoke: Boolean(body.disassociate) });
  }),
});

export const rolesOfUser = ({ settings }: GrantServices): Sublist => ({
  resource: 'role',
  where: (builder, user, alias) =>
    void builder.whereRaw(`"${alias}".id in (select role_id from role_users where user_id = ?)`, [user.id]),
  offered: givesSomething,
  decorate: unattachable(settings, (user) => ({ user_id: user.id, team_id: null })),
  ...grants(async (trx, user, roleId, { actor }, { detach }) => {
    return changed(trx, { actor, settings, roleId, userId: user.id, revoke: detach });
  }),
});

export const rolesOfTeam = ({ settings }: GrantServices): Sublist => ({
  resource: 'role',
  where: (builder, team, alias) => whereGivenToTeam(builder, team.id, alias),
  offered: givesSomething,
  decorate: unattachable(settings, (team) => ({ user_id: null, team_id: team.id })),
  ...grants(async (trx, team, roleId, { actor }, { detach }) => {
    return changed(trx, { actor, settings, roleId, teamId: team.id, revoke: detach });
  }),
});

/** `summary_fields.user_capabilities.unattach` of roles shown below their holder. */
const unattachable =
  (settings: RoleSettings, holder: (parent: Row) => Pick<GrantPair, 'user_id' | 'team_id'>) =>
  async (db: Knex, results: Shown[], parent: Row, { actor }: Call): Promise<void> => {
    if (!results.length) return;
    const roles: RoleRow[] = await db('roles').whereRaw('id = any (?)', [results.map(({ id }) => id)]);
    const byId = new Map(roles.map((role) => [role.id, role]));
    const shown = results.filter(({ id }) => byId.has(id));
    const may = await mayRevoke(
      db,
      actor,
      settings,
      shown.map(({ id }) => ({ role: byId.get(id)!, ...holder(parent) })),
    );
    for (const [index, one] of shown.entries()) one.summary_fields.user_capabilities = { unattach: may[index] };
  };

/** Teams that were given one of these roles on the record; any role unless named. */
export const teamsWith = (type: RoleType, fields?: readonly string[]): Sublist['where'] =>
  function narrow(builder, { id }, alias) {
    builder.whereRaw(
      `"${alias}".id in (select g.team_id from role_teams g join roles r on r.id = g.role_id where not g.for_admins and r.content_type = ? and r.object_id = ?${fields ? ' and r.role_field = any (?)' : ''})`,
      [type, id, ...(fields ? [[...fields]] : [])],
    );
  };

/** `…/object_roles/` of a record. */
export const objectRolesOf = (type: RoleType): Sublist => ({
  resource: 'role',
  where: (builder, parent, alias) => whereOfRecord(builder, type, parent.id, alias),
});
