import type { Builder } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type RoleType, isRoleType, roleDefinitions, roleTables, systemRoles } from './definitions.ts';
import { literals } from './condition.ts';
import type { RoleRow } from './roles.ts';

/**
 * The direct links of the role graph, for `/roles/N/parents/` and `/children/`. Links between records are not
 * stored: they follow from the definitions and from the organization that a record names.
 */

const ownerSql = (path: string, alias: string) =>
  path === 'organization'
    ? `"${alias}".organization_id`
    : `(select i.organization_id from inventories i where i.id = "${alias}".inventory_id)`;

/** `organization.admin_role` → ['organization', 'admin_role']; a role of the same record has no path. */
function split(parent: string): [string, string] {
  const dot = parent.lastIndexOf('.');
  return dot < 0 ? ['', parent] : [parent.slice(0, dot), parent.slice(dot + 1)];
}

/** Narrows a query over `roles` to the direct parents of a role. */
export function whereParents(builder: Builder, role: RoleRow, alias: string): void {
  builder.where((any) => {
    any.whereRaw('false');
    if (!role.content_type) return;
    const { table } = roleTables[role.content_type];
    for (const parent of roleDefinitions[role.content_type][role.role_field]!.heldBy) {
      const [path, field] = split(parent);
      if (Object.hasOwn(systemRoles, parent)) any.orWhere({ [`${alias}.singleton_name`]: parent });
      else if (!path)
        any.orWhere({
          [`${alias}.content_type`]: role.content_type,
          [`${alias}.object_id`]: role.object_id,
          [`${alias}.role_field`]: field,
        });
      else
        any.orWhereRaw(
          `("${alias}".content_type = 'organization' and "${alias}".role_field = '${field}' and "${alias}".object_id = (select ${ownerSql(path, 'o')} from ${table} o where o.id = ?))`,
          [role.object_id],
        );
    }
    any.orWhereRaw(
      `("${alias}".content_type = 'team' and ("${alias}".object_id, "${alias}".role_field) in (select g.team_id, case when g.for_admins then 'admin_role' else 'member_role' end from role_teams g where g.role_id = ?))`,
      [role.id],
    );
  });
}

/** Narrows a query over `roles` to the direct children of a role. */
export function whereChildren(builder: Builder, role: RoleRow, alias: string): void {
  builder.where((any) => {
    any.whereRaw('false');
    for (const type of Object.keys(roleDefinitions) as RoleType[]) {
      for (const [path, fields] of childPaths(type, role)) {
        const of = `"${alias}".content_type = '${type}' and "${alias}".role_field in (${literals(fields)})`;
        if (path === 'system') any.orWhereRaw(`(${of})`);
        else if (path === '') any.orWhereRaw(`(${of} and "${alias}".object_id = ?)`, [role.object_id]);
        else
          any.orWhereRaw(
            `(${of} and "${alias}".object_id in (select o.id from ${roleTables[type].table} o where ${ownerSql(path, 'o')} = ?))`,
            [role.object_id],
          );
      }
    }
    if (role.content_type !== 'team' || !['admin_role', 'member_role'].includes(role.role_field)) return;
    any.orWhereRaw(`"${alias}".id in (select g.role_id from role_teams g where g.team_id = ? and g.for_admins = ?)`, [
      role.object_id,
      role.role_field === 'admin_role',
    ]);
  });
}

/** How roles of `type` name this role as their direct parent: path → their fields. */
function childPaths(type: RoleType, role: RoleRow): Map<string, string[]> {
  const paths = new Map<string, string[]>();
  for (const [field, { heldBy }] of Object.entries(roleDefinitions[type])) {
    for (const parent of heldBy) {
      const [path, above] = split(parent);
      const system = Object.hasOwn(systemRoles, parent);
      const matches = system
        ? parent === role.singleton_name
        : above === role.role_field && (path ? 'organization' : type) === role.content_type;
      if (matches) paths.set(system ? 'system' : path, [...(paths.get(system ? 'system' : path) ?? []), field]);
    }
  }
  return paths;
}

/** Narrows a query over `roles` to those given to a team; what its admins alone were given is not among them. */
export const whereGivenToTeam = (builder: Builder, teamId: number, alias: string): void =>
  void builder.whereRaw(
    `"${alias}".id in (select g.role_id from role_teams g where g.team_id = ? and not g.for_admins)`,
    [teamId],
  );

/** Narrows a query over `roles` to those of one record. */
export function whereOfRecord(builder: Builder, type: string, id: number, alias: string): void {
  if (!isRoleType(type)) throw new Error(`${type} has no roles`);
  builder.where({ [`${alias}.content_type`]: type, [`${alias}.object_id`]: id });
}

interface TeamNames {
  id: number;
  name: string;
  organization_name: string;
}

/** Team names for a set of ids, in one statement. */
export async function teamNames(db: Knex, ids: readonly number[]): Promise<Map<number, Omit<TeamNames, 'id'>>> {
  if (!ids.length) return new Map();
  const { rows }: { rows: TeamNames[] } = await db.raw(
    'select t.id, t.name, o.name as organization_name from teams t join organizations o on o.id = t.organization_id where t.id = any (?)',
    [ids as number[]],
  );
  return new Map(rows.map(({ id, ...names }) => [id, names]));
}
