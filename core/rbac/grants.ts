import { type Actor, ApiError, type Builder, forbidden } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type GrantTarget, grantProblem } from './grant-problems.ts';
import { mayChangeGrants } from './grant-rights.ts';
import { type RoleSettings, teamVisible, userVisible } from './people.ts';
import { roleVisible } from './role-visibility.ts';
import type { RoleRow } from './roles.ts';

export interface GrantRequest {
  actor: Actor | null;
  settings: RoleSettings;
  roleId: number;
  userId?: number;
  teamId?: number;
  /** take the role away instead of giving it */
  revoke?: boolean;
  /** the place stands for the role: nobody named it, so that not seeing it means no right */
  implied?: boolean;
  /** an assignment gives it: it goes with that, unless it is given for itself as well */
  assigned?: boolean;
}

export interface GrantResult {
  /** false when nothing had to be done: both directions may be repeated */
  changed: boolean;
  role: RoleRow;
  target: GrantTarget;
}

const noMatch = (what: string) => new ApiError(400, { detail: `No ${what} matches the given query.` });

/**
 * Gives a role to a user or team, or takes it away, with every check of who may. Runs inside the caller's transaction.
 *
 * @throws ApiError 400 when the role or the target does not exist for the caller, or the pair is impossible; 403 without the right
 */
export async function changeGrant(trx: Knex, request: GrantRequest): Promise<GrantResult> {
  const { actor, settings, roleId, revoke = false } = request;
  const role: RoleRow | undefined = await trx('roles').where('id', roleId).first();
  if (!role || !(await roleVisible.row(actor, role, trx))) throw request.implied ? forbidden() : noMatch('Role');
  // what changes who is in a team waits here, before any row is locked, and not in the trigger
  if (givesTeam(role)) await trx.raw('select lock_team_membership()');
  const target = await findTarget(trx, request);
  const pair = { role, user_id: request.userId ?? null, team_id: request.teamId ?? null };
  const [onRole, whole] = await mayChangeGrants(trx, actor, settings, [
    { ...pair, user_id: null, team_id: null },
    pair,
  ]);
  if (!onRole) throw forbidden();
  if (!target) throw noMatch(request.teamId === undefined ? 'User' : 'Team');
  if (!whole) throw forbidden();
  const problem = await grantProblem(trx, { actor, role, target, revoke });
  if (problem) throw new ApiError(400, { msg: problem });
  const changed = role.singleton_name
    ? await changeFlag(trx, role, target.id, revoke)
    : await changeRow(trx, request, target);
  return { changed, role, target };
}

const givesTeam = ({ content_type, role_field }: RoleRow) =>
  (content_type === 'team' && role_field !== 'read_role') ||
  (content_type === 'organization' && role_field === 'admin_role');

interface TeamRow {
  id: number;
  name: string;
  organization_id: number;
}

interface UserRow {
  id: number;
  username: string;
  is_superuser: boolean;
}

async function find<T>(
  trx: Knex,
  table: string,
  id: number,
  narrow: (builder: Builder) => void,
): Promise<T | undefined> {
  const builder = trx.from(`${table} as t`).select('t.*').where('t.id', id).first();
  narrow(builder);
  return (await builder) as T | undefined;
}

async function findTarget(
  trx: Knex,
  { actor, settings, userId, teamId }: GrantRequest,
): Promise<GrantTarget | undefined> {
  if ((userId === undefined) === (teamId === undefined)) throw new Error('a role goes to either a user or a team');
  if (teamId !== undefined) {
    const team = await find<TeamRow>(trx, 'teams', teamId, (builder) =>
      teamVisible(settings).query(actor, builder, 't'),
    );
    return team && { kind: 'team', id: team.id, name: team.name, organization_id: team.organization_id };
  }
  const user = await find<UserRow>(trx, 'users', userId!, (builder) =>
    userVisible(settings).query(actor, builder, 't'),
  );
  return user && { kind: 'user', id: user.id, name: user.username, is_superuser: user.is_superuser };
}

async function changeRow(
  trx: Knex,
  { actor, roleId, revoke, assigned = false }: GrantRequest,
  { kind, id }: GrantTarget,
): Promise<boolean> {
  const table = kind === 'team' ? 'role_teams' : 'role_users';
  if (revoke)
    return (
      (await trx(table)
        .where({ role_id: roleId, [`${kind}_id`]: id })
        .delete()) > 0
    );
  const key = kind === 'team' ? 'team_id, role_id, for_admins' : 'user_id, role_id';
  // given for itself, it no longer goes with an assignment
  const { rows } = await trx.raw(
    `insert into ${table} as g (role_id, ${kind}_id, assigned, created_by_id) values (?, ?, ?, ?)
     on conflict (${key}) do update set assigned = false where g.assigned and not excluded.assigned returning g.role_id`,
    [roleId, id, assigned, actor && actor.id > 0 ? actor.id : null],
  );
  return rows.length > 0;
}

const flags = { system_administrator: 'is_superuser', system_auditor: 'is_system_auditor' } as const;

/** The flag on the user is the truth; the database mirrors it in the role's members. */
async function changeFlag(trx: Knex, role: RoleRow, userId: number, revoke: boolean): Promise<boolean> {
  const flag = flags[role.singleton_name!];
  if (revoke && flag === 'is_superuser') await assertOtherAdministrator(trx, userId);
  return (
    (await trx('users')
      .where({ id: userId, [flag]: revoke })
      .update({ [flag]: !revoke })) > 0
  );
}

/** Locks the administrators first, so that two of them cannot remove each other at once. */
export async function assertOtherAdministrator(trx: Knex, userId: number): Promise<void> {
  const administrators = await trx('users')
    .select('id')
    .where({ is_superuser: true, is_active: true })
    .orderBy('id')
    .forUpdate();
  if (!administrators.some((user: { id: number }) => user.id !== userId))
    throw forbidden('The last superuser must remain one.');
}
