import type { Actor, Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type RoleType, type SystemRole, roleDefinitions, roleTables, systemRoles } from './definitions.ts';

/** A row of `roles`. */
export interface RoleRow extends Row {
  content_type: RoleType | null;
  object_id: number | null;
  role_field: string;
  singleton_name: SystemRole | null;
}

const definitionOf = ({ content_type, role_field, singleton_name }: RoleRow) =>
  singleton_name ? systemRoles[singleton_name] : roleDefinitions[content_type!][role_field]!;
export const roleName = (role: RoleRow): string => definitionOf(role).name;
export const roleDescription = (role: RoleRow): string => definitionOf(role).description;

export const findRole = (db: Knex, type: RoleType, id: number, field: string): Promise<RoleRow | undefined> =>
  db('roles').where({ content_type: type, object_id: id, role_field: field }).first();

export interface RoleSummary {
  id: number;
  name: string;
  description: string;
  user_only?: true;
}

/** The roles of a record with its own statement: role field → id. */
export const objectRoleIdsSql = (type: RoleType) =>
  `(select json_object_agg(role_field, id) from roles where content_type = '${type}' and object_id = {alias}.id)`;

/** `summary_fields.object_roles` from these ids, in the order of the definitions. */
export const objectRoles = (type: RoleType, ids: Record<string, number> | null): Record<string, RoleSummary> =>
  Object.fromEntries(
    Object.entries(roleDefinitions[type]).flatMap(([field, { name, description, userOnly }]) => {
      const id = ids?.[field];
      return id === undefined
        ? []
        : [[field, { description, name, id, ...(userOnly && { user_only: userOnly }) }] as const];
    }),
  );

export interface RoleResource {
  resource_name: string;
  resource_type: RoleType;
  resource_type_display_name: string;
  resource_id: number;
}

/** `summary_fields` of role rows, naming their records, in one statement; none for the system-wide roles. */
export async function roleResources(db: Knex, roles: readonly RoleRow[]): Promise<Map<number, RoleResource>> {
  const types = [...new Set(roles.flatMap((role) => role.content_type ?? []))];
  if (!types.length) return new Map();
  const ids = (type: RoleType) => roles.flatMap((role) => (role.content_type === type ? (role.object_id ?? []) : []));
  const { rows }: { rows: { type: RoleType; id: number; name: string }[] } = await db.raw(
    types
      .map((type) => `select '${type}' as type, id, name from ${roleTables[type].table} where id = any (?::bigint[])`)
      .join(' union all '),
    types.map(ids),
  );
  const names = new Map(rows.map(({ type, id, name }) => [`${type}.${id}`, name]));
  return new Map(
    roles.flatMap(({ id, content_type: type, object_id }) => {
      const name = type && names.get(`${type}.${object_id}`);
      return name === undefined || !type
        ? []
        : [
            [
              id,
              {
                resource_name: name,
                resource_type: type,
                resource_type_display_name: roleTables[type].label,
                resource_id: object_id!,
              },
            ],
          ];
    }),
  ) as Map<number, RoleResource>;
}

/** Creators of some kinds hold their record's admin role themselves. */
export async function giveToCreator(trx: Knex, type: RoleType, id: number, userId: number): Promise<void> {
  await trx.raw(
    `insert into role_users (user_id, role_id) select ?, id from roles where content_type = ? and object_id = ? and role_field = 'admin_role' on conflict do nothing`,
    [userId, type, id],
  );
}

/** The same for whoever asked for it; the service itself needs no role. */
export async function giveToActor(trx: Knex, type: RoleType, id: number, actor: Actor | null): Promise<void> {
  if (actor && actor.id > 0) await giveToCreator(trx, type, id, actor.id);
}

/** A credential made for a team: its admins administer it, its members use it. */
export async function giveCredentialToTeam(trx: Knex, credentialId: number, teamId: number): Promise<void> {
  await trx.raw(
    `insert into role_teams (team_id, role_id, for_admins) select ?, id, role_field = 'admin_role' from roles
     where content_type = 'credential' and object_id = ? and role_field in ('admin_role', 'use_role') on conflict do nothing`,
    [teamId, credentialId],
  );
}
