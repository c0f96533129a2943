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
  for (const { team_id, role_id, for_admins } of await db('role_teams'))
    link(byName.get(`team.${team_id}.${for_admins ? 'admin_role' : 'member_role'}`), role_id);

  const reach = (from: Iterable<number>, next: Map<number, Set<number>>) => {
    const found = new Set(from);
    for (const id of found) for (const one of next.get(id) ?? []) found.add(one);
    return found;
  };
  const given = new Map<number, number[]>();
  for (const { user_id, role_id } of await db('role_users'))
    given.set(user_id, [...(given.get(user_id) ?? []), role_id]);
  const parents = new Map<number, Set<number>>();
  for (const [parent, below] of children)
    for (const child of below) (parents.get(child) ?? parents.set(child, new Set()).get(child)!).add(parent);

  const held = (user: { id: number }) => reach(given.get(user.id) ?? [], children);
  return {
    records,
    roleIds: roles.map((role: any) => role.id as number),
    given: (user: { id: number }) => given.get(user.id) ?? [],
    held,
    /** what a user holds without the flag of an auditor */
    heldByGrant: (user: { id: number }) =>
      reach(
        (given.get(user.id) ?? []).filter((id) => roles.find((role: any) => role.id === id).content_type),
        children,
      ),
    /** what a user holds, and every role above that */
    heldAndAbove: (user: { id: number }) => reach(held(user), parents),
    holds: (actor: Actor, type: string, id: number | null | undefined, field: string): boolean => {
      if (actor.is_superuser) return true;
      if (actor.is_system_auditor && field === 'read_role') return true;
      const role = byName.get(`${type}.${id}.${field}`);
      return role !== undefined && held(actor).has(role);
    },
    /** in the member list of the role itself */
    direct: (actor: { id: number }, organization: number | null | undefined, ...fields: string[]) =>
      fields.some((field) =>
        (given.get(actor.id) ?? []).includes(byName.get(`organization.${organization}.${field}`) ?? -1),
      ),
  };
}
export type Graph = Awaited<ReturnType<typeof drawGraph>>;
