import type { Knex } from 'knex';
import { isRoleType, roleTables } from './definitions.ts';
import { type Path, givenBy, givenBySystem } from './implications.ts';
import { type RoleRow, roleDescription, roleName } from './roles.ts';

/** A role through which somebody may have access to a record, and what it gives there. */
export interface AccessRole extends RoleRow {
  name: string;
  description: string;
  resource_name: string | null;
  /** role fields of the record, in their order */
  gives: string[];
  /** a role of the record itself, not of its organization or of the system */
  own: boolean;
}

/** One way in which a person has an access role: as a direct member, or with a team. */
export interface Grant {
  user_id: number;
  role: AccessRole;
  team_id: number | null;
}

interface HeldRow extends Omit<Grant, 'role'> {
  role_id: number;
}

/** Every role that gives something on the record: its own, its organization's, the system-wide ones. One statement. */
export async function accessRoles(db: Knex, type: string, id: number): Promise<AccessRole[]> {
  const { rows } = await db.raw(rolesSql(type), isRoleType(type) ? [id] : []);
  const roles = new Map<number, AccessRole>();
  for (const { path, ...row } of rows as (RoleRow & { path: Path | 'system'; resource_name: string | null })[]) {
    const gives = row.singleton_name
      ? givenBySystem(type, row.singleton_name)
      : givenBy(type, path as Path, row.role_field);
    const seen = roles.get(row.id);
    // an organization may be the record's own and its inventory's at once
    if (seen) seen.gives = [...new Set([...seen.gives, ...gives])];
    else
      roles.set(row.id, {
        ...row,
        name: roleName(row),
        description: roleDescription(row),
        gives,
        own: path === 'self',
      });
  }
  return [...roles.values()].filter((role) => role.gives.length || role.singleton_name);
}

function rolesSql(type: string): string {
  const system = `select 'system' as path, r.*, null as resource_name from roles r where r.singleton_name is not null`;
  if (!isRoleType(type)) return `${system} order by id`;
  const { table } = roleTables[type];
  const organization = type === 'organization' || type === 'instance_group' ? 'null::bigint' : 'x.organization_id';
  const inventory =
    type === 'job_template'
      ? '(select i.organization_id from inventories i where i.id = x.inventory_id)'
      : 'null::bigint';
  const ofOrganization = (path: Path, column: string) =>
    `select '${path}', r.*, g.name from record x join organizations g on g.id = x.${column} join roles r on r.content_type = 'organization' and r.object_id = g.id`;
  return `
    with record as (select x.id, x.name, ${organization} as organization_id, ${inventory} as inventory_organization_id from ${table} x where x.id = ?)
    select 'self' as path, r.*, x.name as resource_name from record x join roles r on r.content_type = '${type}' and r.object_id = x.id
    union all ${ofOrganization('organization', 'organization_id')}
    union all ${ofOrganization('inventory.organization', 'inventory_organization_id')}
    union all ${system} order by id`;
}

/** Who of `users` has which of the roles, and how. One statement. */
export async function grantsOf(db: Knex, roles: readonly AccessRole[], users: readonly number[]): Promise<Grant[]> {
  const byId = new Map(roles.map((role) => [role.id, role]));
  const { rows }: { rows: HeldRow[] } = await db.raw(
    'select distinct h.user_id, h.role_id, h.team_id from held_roles h where h.user_id = any (?) and h.role_id = any (?) order by h.user_id, h.role_id, h.team_id nulls first',
    [users as number[], [...byId.keys()]],
  );
  return rows.map(({ user_id, role_id, team_id }) => ({ user_id, role: byId.get(role_id)!, team_id }));
}
