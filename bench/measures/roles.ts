import type { Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { changeGrant } from '../../core/rbac/grants.ts';
import { role } from '../../core/rbac/role-rules.ts';
import { onDatabase } from '../lib/bench-database.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';

const objects = 10_000;
const grants = 1000;
const members = 100;
const rounds = 15;

const settings = { get: () => true };

async function fill(db: Knex) {
  const [organization] = await db('organizations').insert({ name: 'Big' }).returning('id');
  await db.raw(
    `insert into templates (kind, name, organization_id) select (array['project', 'job_template', 'workflow_job_template'])[1 + n % 3], 'Template ' || n, ? from generate_series(1, ?::int) n`,
    [organization.id, objects / 2],
  );
  await db.raw(
    `insert into inventories (name, organization_id) select 'Inventory ' || n, ? from generate_series(1, ?::int) n`,
    [organization.id, objects / 2],
  );
  const teams = await db('teams')
    .insert([
      { name: 'Granted', organization_id: organization.id },
      { name: 'Staffed', organization_id: organization.id },
    ])
    .returning('id');
  await db.raw(
    `insert into role_teams (role_id, team_id) select r.id, ? from roles r where r.content_type = 'inventory' and r.role_field = 'use_role' order by r.id limit ?`,
    [teams[0].id, grants],
  );
  const [admin] = await db('users').insert({ username: 'administrator', is_superuser: true }).returning('*');
  const users = await db('users')
    .insert(Array.from({ length: members + rounds }, (_, n) => ({ username: `user ${n}` })))
    .returning('*');
  for (const user of users.slice(rounds))
    await db.raw(
      `insert into role_users (role_id, user_id) select id, ? from roles where content_type = 'team' and object_id = ? and role_field = 'member_role'`,
      [user.id, teams[1].id],
    );
  await db.raw('analyze');
  return {
    organization: organization.id as number,
    granted: teams[0].id as number,
    staffed: teams[1].id as number,
    admin: { ...admin, read_only: false, via: 'basic' } as Actor,
    users: users.slice(0, rounds) as Actor[],
  };
}

/** Milliseconds of one checked and committed grant, and whether it is there at once: the number of inventories then visible. */
async function timedGrant(
  db: Knex,
  actor: Actor,
  roleId: number,
  to: { userId?: number; teamId?: number },
): Promise<number> {
  const began = performance.now();
  await db.transaction((trx) => changeGrant(trx, { actor, settings, roleId, ...to }));
  return performance.now() - began;
}

async function visible(db: Knex, user: Actor): Promise<number> {
  const builder = db.from('inventories as t').count({ count: '*' });
  role('inventory', 'read_role').query(user, builder, 't');
  return Number((await builder)[0]!.count);
}

const roleOf = async (db: Knex, type: string, id: number, field: string) =>
  (await db('roles').where({ content_type: type, object_id: id, role_field: field }).first('id')).id as number;

export async function roles(): Promise<Figure[]> {
  return onDatabase(async (db) => {
    const { organization, granted, staffed, admin, users } = await fill(db);
    const auditor = await roleOf(db, 'organization', organization, 'auditor_role');
    const member = await roleOf(db, 'team', granted, 'member_role');
    const direct: number[] = [];
    const joined: number[] = [];
    for (const user of users) {
      joined.push(await timedGrant(db, admin, member, { userId: user.id }));
      if ((await visible(db, user)) !== grants)
        throw new Error('a new member of the team does not see what the team may use');
      direct.push(await timedGrant(db, admin, auditor, { userId: user.id }));
      if ((await visible(db, user)) !== objects / 2)
        throw new Error('an auditor of the organization does not see all of it');
    }
    const toTeam = await timedGrant(db, admin, await roleOf(db, 'organization', organization, 'inventory_admin_role'), {
      teamId: staffed,
    });
    return [
      figure(
        'roles',
        `a role on an organization with ${objects.toLocaleString('en')} objects`,
        median(direct) / 1000,
        's',
        '<=',
        1,
        `to a user ${spread(direct, 'ms')}; to a team of ${members} ${toTeam.toFixed(1)} ms; checks and commit included`,
      ),
      figure(
        'roles',
        `a user into a team with ${grants.toLocaleString('en')} grants`,
        median(joined) / 1000,
        's',
        '<=',
        1,
        `${spread(joined, 'ms')}; checks and commit included`,
      ),
    ];
  });
}
