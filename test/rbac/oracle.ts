import type { Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { contractRoles } from './contract-roles.ts';

const tables: Record<string, string> = {
  organization: 'organizations',
  team: 'teams',
  inventory: 'inventories',
  credential: 'credentials',
  instance_group: 'instance_groups',
  project: 'templates',
  job_template: 'templates',
  workflow_job_template: 'templates',
};

/**
 * The role graph drawn out in full, record by record, from the contract's tables: nothing of core/rbac is used.
 * A user holds every role that can be reached from those it was given.
 */
export async function drawGraph(db: Knex) {
  const roles = await db('roles');
  const records = new Map<string, any>();
  for (const [type, table] of Object.entries(tables)) {
    for (const row of await db(table).where(table === 'templates' ? { kind: type } : {}))
      records.set(`${type}.${row.id}`, row);
  }
  const byName = new Map(
    roles.map((role: any) => [
      role.singleton_name ?? `${role.content_type}.${role.object_id}.${role.role_field}`,
      role.id as number,
    ]),
  );
  const of = new Map<string, Map<number, Map<string, number>>>();
  for (const { id, content_type: type, object_id, role_field } of roles) {
    if (!type) continue;
    const records = of.get(type) ?? of.set(type, new Map()).get(type)!;
    (records.get(object_id) ?? records.set(object_id, new Map()).get(object_id)!).set(role_field, id);
  }
  const children = new Map<number, Set<number>>();
  const link = (parent: number | undefined, child: number) =>
    parent !== undefined && (children.get(parent) ?? children.set(parent, new Set()).get(parent)!).add(child);

  for (const role of roles.filter((one: any) => one.content_type)) {
    const { content_type: type, object_id: id } = role;
    const row = records.get(`${type}.${id}`);
    const [, , ...heldBy] = contractRoles[type]!.find(([field]) => field === role.role_field)!;
    for (const above of heldBy) {
      const [field, ...path] = above.split('.').toReversed();
      if (above.startsWith('system_')) link(byName.get(above), role.id);
      else if (!path.length) link(byName.get(`${type}.${id}.${field}`), role.id);
      else {
        const organization =
          path.length === 2 ? records.get(`inventory.${row.inventory_id}`)?.organization_id : row.organization_id;
        link(byName.get(`organization.${organization}.${field}`), role.id);
      }
    }
  }
  const teamGrants: any[] = await db('role_teams');
  for (const { team_id, role_id, for_admins } of teamGrants)
    link(byName.get(`team.${team_id}.${for_admins ? 'admin_role' : 'member_role'}`), role_id);

  const byId = new Map(roles.map((role: any) => [role.id as number, role]));
  const given = new Map<number, number[]>();
  for (const { user_id, role_id } of await db('role_users'))
    given.set(user_id, [...(given.get(user_id) ?? []), role_id]);
  const parents = new Map<number, Set<number>>();
  for (const [parent, below] of children)
    for (const child of below) (parents.get(child) ?? parents.set(child, new Set()).get(child)!).add(parent);

  const held = once((user: number) => reach(given.get(user) ?? [], children));
  const heldByGrant = once((user: number) =>
    reach(
      (given.get(user) ?? []).filter((id) => byId.get(id).content_type),
      children,
    ),
  );
  const heldAndAbove = once((user: number) => reach(held(user), parents));
  /**
   * Roles of what a user reads: those of the records, those above them in their organization, and those of teams that were
   * given one. The contract has every role above those as well; what lies beyond is not shown.
   */
  const seenRoles = once((user: number) => {
    const found = new Set(roles.filter((role: any) => role.singleton_name).map((role: any) => role.id as number));
    for (const id of held(user)) {
      const { content_type: type, object_id, role_field } = byId.get(id);
      if (role_field !== 'read_role') continue;
      for (const own of of.get(type)!.get(object_id)!.values()) found.add(own);
      const { organization_id } = records.get(`${type}.${object_id}`);
      for (const above of reach([id], parents)) {
        const role = byId.get(above);
        if (role.content_type === 'organization' && role.object_id === organization_id) found.add(above);
      }
    }
    const teams = teamGrants
      .filter(({ role_id }) => found.has(role_id))
      .map(({ team_id }) => of.get('team')!.get(team_id)!);
    for (const own of teams) for (const field of ['admin_role', 'member_role']) found.add(own.get(field)!);
    return found;
  });
  const organizations = [...records]
    .filter(([key]) => key.startsWith('organization.'))
    .map(([, row]) => row.id as number);
  const direct = (user: { id: number }, organization: number | null | undefined, ...fields: string[]) => {
    const roles = organization == null ? undefined : of.get('organization')?.get(organization);
    return fields.some((field) => roles?.has(field) && given.get(user.id)?.includes(roles.get(field)!) === true);
  };
  return {
    records,
    organizations,
    role: (id: number) => byId.get(id),
    roleIds: roles.map((role: any) => role.id as number),
    roleId: (type: string, id: number, field: string) => of.get(type)?.get(id)?.get(field),
    rolesOf: (type: string, id: number) => [...(of.get(type)?.get(id)?.values() ?? [])],
    parents: (id: number): ReadonlySet<number> => parents.get(id) ?? new Set(),
    children: (id: number): ReadonlySet<number> => children.get(id) ?? new Set(),
    given: (user: { id: number }) => given.get(user.id) ?? [],
    held: (user: { id: number }) => held(user.id),
    /** what a user holds without the flag of an auditor */
    heldByGrant: (user: { id: number }) => heldByGrant(user.id),
    /** what a user holds, and every role above that */
    heldAndAbove: (user: { id: number }) => heldAndAbove(user.id),
    seenRoles: (user: { id: number }) => seenRoles(user.id),
    holds: (actor: Actor, type: string, id: number | null | undefined, field: string): boolean => {
      if (actor.is_superuser) return true;
      if (actor.is_system_auditor && field === 'read_role') return true;
      const role = id == null ? undefined : of.get(type)?.get(id)?.get(field);
      return role !== undefined && held(actor.id).has(role);
    },
    /** in the member list of the role itself */
    direct,
    /** organizations in whose lists of one of these roles the user stands */
    directOrganizations: once((user: number, fields = 'member_role') =>
      (given.get(user) ?? [])
        .map((id) => byId.get(id))
        .filter((role) => role.content_type === 'organization' && fields.split(' ').includes(role.role_field))
        .map((role) => role.object_id as number),
    ),
  };
}
export type Graph = Awaited<ReturnType<typeof drawGraph>>;

function reach(from: Iterable<number>, next: Map<number, Set<number>>): Set<number> {
  const found = new Set(from);
  for (const id of found) for (const one of next.get(id) ?? []) found.add(one);
  return found;
}

/** The graph does not change once it is drawn. */
function once<T>(find: (user: number, more?: string) => T): (user: number, more?: string) => T {
  const known = new Map<string | undefined, Map<number, T>>();
  return (user, more) => {
    const found = known.get(more) ?? known.set(more, new Map()).get(more)!;
    if (!found.has(user)) found.set(user, find(user, more));
    return found.get(user)!;
  };
}
