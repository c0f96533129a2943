import type { Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type RoleType, roleTables } from '../../core/rbac/definitions.ts';
import { changeGrant } from '../../core/rbac/grants.ts';
import type { RoleSetting, RoleSettings } from '../../core/rbac/people.ts';
import { findRole } from '../../core/rbac/roles.ts';

export const settingsWith = (off: RoleSetting[] = []): RoleSettings => ({ get: (key) => !off.includes(key) });

export const actorOf = (user: any, more: Partial<Actor> = {}): Actor => ({
  id: user.id,
  username: user.username,
  is_superuser: user.is_superuser,
  is_system_auditor: user.is_system_auditor,
  read_only: false,
  via: 'basic',
  ...more,
});

/** Puts records and grants into the database by their plain tables, as any writer would. Names begin with `prefix`. */
export function world(db: Knex, prefix = '') {
  let count = 0;
  const insert = async (table: string, row: Record<string, unknown>) => (await db(table).insert(row).returning('*'))[0];
  const named = (row: Record<string, unknown>, kind: string) => ({ name: `${prefix}${kind} ${++count}`, ...row });
  const roleId = async (type: RoleType, row: { id: number }, field: string) =>
    (await findRole(db, type, row.id, field))!.id;
  return {
    user: async (more: Record<string, unknown> = {}) =>
      actorOf(await insert('users', { username: `${prefix}user${++count}`, ...more })),
    organization: (more = {}) => insert('organizations', named(more, 'Organization')),
    team: (organization: { id: number }, more = {}) =>
      insert('teams', named({ organization_id: organization.id, ...more }, 'Team')),
    inventory: (organization: { id: number } | null, more = {}) =>
      insert('inventories', named({ organization_id: organization?.id ?? null, ...more }, 'Inventory')),
    host: (inventory: { id: number }) => insert('hosts', named({ inventory_id: inventory.id }, 'host')),
    project: (organization: { id: number } | null, more = {}) =>
      insert('templates', named({ kind: 'project', organization_id: organization?.id ?? null, ...more }, 'Project')),
    jobTemplate: (organization: { id: number } | null, more = {}) =>
      insert(
        'templates',
        named({ kind: 'job_template', organization_id: organization?.id ?? null, ...more }, 'Job template'),
      ),
    workflow: (organization: { id: number } | null, more = {}) =>
      insert(
        'templates',
        named({ kind: 'workflow_job_template', organization_id: organization?.id ?? null, ...more }, 'Workflow'),
      ),
    job: (template: any, more = {}) =>
      insert('runs', {
        kind: 'job',
        template_id: template?.id ?? null,
        organization_id: template?.organization_id ?? null,
        ...more,
      }),
    credential: async (organization: { id: number } | null, more = {}) => {
      const type =
        (await db('credential_types').where('name', 'Test').first()) ??
        (await insert('credential_types', { name: 'Test', kind: 'cloud' }));
      return insert(
        'credentials',
        named({ organization_id: organization?.id ?? null, credential_type_id: type.id, ...more }, 'Credential'),
      );
    },
    instanceGroup: (more = {}) => insert('instance_groups', named(more, 'Group')),
    roleId,
    /** Gives without asking who may. */
    give: async (type: RoleType, row: { id: number }, field: string, user: { id: number }) =>
      void (await db('role_users')
        .insert({ role_id: await roleId(type, row, field), user_id: user.id })
        .onConflict()
        .ignore()),
    giveTeam: async (type: RoleType, row: { id: number }, field: string, team: { id: number }) =>
      void (await db('role_teams')
        .insert({ role_id: await roleId(type, row, field), team_id: team.id })
        .onConflict()
        .ignore()),
    take: async (type: RoleType, row: { id: number }, field: string, user: { id: number }) =>
      void (await db('role_users')
        .where({ role_id: await roleId(type, row, field), user_id: user.id })
        .delete()),
    takeTeam: async (type: RoleType, row: { id: number }, field: string, team: { id: number }) =>
      void (await db('role_teams')
        .where({ role_id: await roleId(type, row, field), team_id: team.id })
        .delete()),
  };
}
export type World = ReturnType<typeof world>;

/** A grant through the checks, as the routes make it; the status it would answer, and the body when refused. */
export async function attempt(
  db: Knex,
  actor: Actor,
  roleId: number,
  target: { userId?: number; teamId?: number; revoke?: boolean },
  settings = settingsWith(),
) {
  try {
    const { changed } = await db.transaction((trx) => changeGrant(trx, { actor, settings, roleId, ...target }));
    return { status: 204, changed };
  } catch (error: any) {
    if (!error.status) throw error;
    return { status: error.status as number, body: error.body };
  }
}

/** Ids of a type's records that the query form of a rule leaves. */
export async function idsFor(
  db: Knex,
  type: RoleType,
  rule: { query: (actor: any, builder: any, alias: string) => void },
  actor: Actor | null,
): Promise<number[]> {
  const { table, kind } = roleTables[type];
  const builder = db.from(`${table} as t`).select('t.id').orderBy('t.id');
  if (kind) builder.where('t.kind', kind);
  rule.query(actor, builder, 't');
  return (await builder).map((row: { id: number }) => row.id);
}
