import type { Actor } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import type { RoleType } from '../../core/rbac/definitions.ts';
import { mayChangeGrants } from '../../core/rbac/grant-rights.ts';
import { type TestDatabase, createTestDatabase } from '../support/database.ts';
import { type World, attempt, settingsWith, world } from './world.ts';

describe('granting and revoking', () => {
  let test: TestDatabase;
  let make: World;
  let org: any;
  let other: any;
  let team: any;
  let records: Record<string, any>;
  let people: Record<string, Actor>;

  before(async () => {
    test = await createTestDatabase();
    make = world(test.db);
    org = await make.organization();
    other = await make.organization();
    team = await make.team(org);
    records = {
      organization: org,
      team,
      inventory: await make.inventory(org),
      project: await make.project(org),
      credential: await make.credential(org),
      job_template: await make.jobTemplate(org),
      workflow_job_template: await make.workflow(org),
      instance_group: await make.instanceGroup(),
      'private credential': await make.credential(null),
    };
    people = {
      superuser: await make.user({ is_superuser: true }),
      auditor: await make.user({ is_system_auditor: true }),
      'organization admin': await make.user(),
      'other admin': await make.user(),
      'record admin': await make.user(),
      'record user': await make.user(),
      member: await make.user(),
      orphan: await make.user(),
      target: await make.user(),
    };
    for (const name of ['member', 'target', 'record admin', 'record user'])
      await make.give('organization', org, 'member_role', people[name]!);
    await make.give('organization', org, 'admin_role', people['organization admin']!);
    await make.give('organization', other, 'admin_role', people['other admin']!);
    for (const [name, row] of Object.entries(records)) {
      const type = (name === 'private credential' ? 'credential' : name) as RoleType;
      if (type === 'organization') continue;
      await make.give(type, row, 'admin_role', people['record admin']!);
      await make.give(type, row, 'read_role', people['record user']!);
    }
  });
  after(() => test.drop());

  const roleOf = (name: string, field: string) =>
    make.roleId((name === 'private credential' ? 'credential' : name) as RoleType, records[name], field);
  const target = () => ({ userId: people.target!.id });

  /** record, role, who asks, to whom: what is answered for giving and for taking away */
  const table: [string, string, string, 'user' | 'team', number, number][] = [
    ['inventory', 'use_role', 'superuser', 'user', 204, 204],
    ['inventory', 'use_role', 'record admin', 'user', 204, 204],
    ['inventory', 'use_role', 'record admin', 'team', 204, 204],
    ['inventory', 'use_role', 'organization admin', 'user', 204, 204],
    ['inventory', 'use_role', 'record user', 'user', 403, 403],
    ['inventory', 'use_role', 'auditor', 'user', 403, 403],
    // it does not see the role
    ['inventory', 'use_role', 'other admin', 'user', 400, 400],
    ['project', 'update_role', 'record admin', 'user', 204, 204],
    ['project', 'admin_role', 'record user', 'team', 403, 403],
    ['job_template', 'execute_role', 'organization admin', 'team', 204, 204],
    ['workflow_job_template', 'approval_role', 'record admin', 'team', 204, 204],
    ['instance_group', 'use_role', 'superuser', 'user', 204, 204],
    ['instance_group', 'use_role', 'record admin', 'user', 204, 204],
    ['instance_group', 'use_role', 'organization admin', 'user', 400, 400],
    ['organization', 'admin_role', 'superuser', 'user', 204, 204],
    ['organization', 'admin_role', 'organization admin', 'user', 204, 204],
    ['organization', 'member_role', 'member', 'user', 403, 403],
    ['organization', 'admin_role', 'superuser', 'team', 400, 400],
    ['organization', 'member_role', 'organization admin', 'team', 400, 400],
    ['organization', 'execute_role', 'organization admin', 'team', 204, 204],
    ['organization', 'auditor_role', 'organization admin', 'user', 204, 204],
    ['organization', 'execute_role', 'member', 'user', 403, 403],
    ['team', 'member_role', 'record admin', 'user', 204, 204],
    ['team', 'admin_role', 'organization admin', 'user', 204, 204],
    ['team', 'member_role', 'record user', 'user', 403, 403],
    ['credential', 'use_role', 'record admin', 'user', 204, 204],
    ['credential', 'use_role', 'record admin', 'team', 204, 204],
    ['credential', 'use_role', 'record user', 'user', 403, 403],
    ['private credential', 'use_role', 'record admin', 'user', 400, 400],
    ['private credential', 'use_role', 'superuser', 'user', 204, 204],
    ['private credential', 'use_role', 'superuser', 'team', 400, 204],
  ];

  for (const [record, field, who, kind, give, take] of table) {
    it(`${who} gives ${field} of the ${record} to a ${kind}: ${give}, takes it: ${take}`, async () => {
      const roleId = await roleOf(record, field);
      const to = kind === 'team' ? { teamId: team.id } : target();
      // other rows of the table rely on the target's membership
      const keep = await test.db('role_users').where({ role_id: roleId, user_id: people.target!.id });
      expect((await attempt(test.db, people[who]!, roleId, to)).status).to.equal(give);
      expect((await attempt(test.db, people[who]!, roleId, { ...to, revoke: true })).status).to.equal(take);
      if (keep.length) await test.db('role_users').insert(keep).onConflict().ignore();
      await test.db('role_teams').where({ role_id: roleId, team_id: team.id }).delete();
    });
  }

  it('may be repeated in both directions', async () => {
    const roleId = await roleOf('project', 'use_role');
    const by = people.superuser!;
    const results = [];
    for (const revoke of [false, false, true, true])
      results.push(await attempt(test.db, by, roleId, { ...target(), revoke }));
    expect(results.map(({ status, changed }: any) => [status, changed])).to.deep.equal([
      [204, true],
      [204, false],
      [204, true],
      [204, false],
    ]);
  });

  it('answer an unknown role, user or team like one that the caller may not see', async () => {
    const admin = people['record admin']!;
    const roleId = await roleOf('inventory', 'use_role');
    const [hidden, hiddenTeam] = [await make.user(), await make.team(other)];
    const no = settingsWith(['ORG_ADMINS_CAN_SEE_ALL_USERS']);
    expect(await attempt(test.db, admin, 999_999, target(), no)).to.deep.equal({
      status: 400,
      body: { detail: 'No Role matches the given query.' },
    });
    expect(await attempt(test.db, admin, roleId, { userId: hidden.id }, no)).to.deep.equal({
      status: 400,
      body: { detail: 'No User matches the given query.' },
    });
    expect(await attempt(test.db, admin, roleId, { userId: 999_999 }, no)).to.deep.equal({
      status: 400,
      body: { detail: 'No User matches the given query.' },
    });
    expect(await attempt(test.db, admin, roleId, { teamId: hiddenTeam.id }, no)).to.deep.equal({
      status: 400,
      body: { detail: 'No Team matches the given query.' },
    });
  });

  it('of a credential need the user in its organization, and the team in it, only to give', async () => {
    const roleId = await roleOf('credential', 'use_role');
    const foreign = await make.team(other);
    expect((await attempt(test.db, people.superuser!, roleId, { userId: people.orphan!.id })).body)
      .to.have.property('msg')
      .that.contains('organization');
    expect((await attempt(test.db, people.superuser!, roleId, { teamId: foreign.id })).body)
      .to.have.property('msg')
      .that.contains('organization');
    await test.db('role_teams').insert({ role_id: roleId, team_id: foreign.id });
    expect(await attempt(test.db, people.superuser!, roleId, { teamId: foreign.id, revoke: true })).to.deep.equal({
      status: 204,
      changed: true,
    });
  });

  describe('of membership', () => {
    it("in organizations and teams is the superuser's while MANAGE_ORGANIZATION_AUTH is off; other grants go on", async () => {
      const off = settingsWith(['MANAGE_ORGANIZATION_AUTH']);
      const admin = people['organization admin']!;
      expect(
        (await attempt(test.db, admin, await roleOf('organization', 'member_role'), target(), off)).status,
      ).to.equal(403);
      expect((await attempt(test.db, admin, await roleOf('team', 'member_role'), target(), off)).status).to.equal(403);
      expect(
        (await attempt(test.db, admin, await roleOf('organization', 'execute_role'), { teamId: team.id }, off)).status,
      ).to.equal(204);
      expect(
        (await attempt(test.db, people.superuser!, await roleOf('team', 'member_role'), target(), off)).status,
      ).to.equal(204);
    });

    it("needs all of the user's organizations, or a user in none who holds nothing that the caller does not", async () => {
      const admin = people['organization admin']!;
      const roleId = await roleOf('organization', 'member_role');
      const shared = await make.user();
      await make.give('organization', other, 'member_role', shared);
      expect((await attempt(test.db, admin, roleId, { userId: shared.id })).status).to.equal(403);
      const fresh = await make.user();
      expect((await attempt(test.db, admin, roleId, { userId: fresh.id })).status).to.equal(204);
      const [known, rich] = [await make.user(), await make.user()];
      await make.give('inventory', records.inventory, 'use_role', known);
      await make.give('inventory', await make.inventory(other), 'use_role', rich);
      expect((await attempt(test.db, admin, roleId, { userId: known.id })).status).to.equal(204);
      expect((await attempt(test.db, admin, roleId, { userId: rich.id })).status).to.equal(403);
      expect((await attempt(test.db, admin, roleId, { userId: people.auditor!.id })).status).to.equal(403);
    });
  });

  describe('of the system-wide roles', () => {
    const system = async (name: string) =>
      (await test.db('roles').where('singleton_name', name).first('id')).id as number;

    it('is for superusers, sets the flag and never goes to a team', async () => {
      const user = await make.user();
      const roleId = await system('system_auditor');
      expect(
        (await attempt(test.db, people['organization admin']!, roleId, { userId: people.target!.id })).status,
      ).to.equal(403);
      expect((await attempt(test.db, people.superuser!, roleId, { teamId: team.id })).status).to.equal(400);
      expect(await attempt(test.db, people.superuser!, roleId, { userId: user.id })).to.deep.equal({
        status: 204,
        changed: true,
      });
      expect((await test.db('users').where('id', user.id).first()).is_system_auditor).to.equal(true);
      expect(await attempt(test.db, people.superuser!, roleId, { userId: user.id, revoke: true })).to.deep.equal({
        status: 204,
        changed: true,
      });
      expect(await test.db('role_users').where('user_id', user.id)).to.deep.equal([]);
    });

    it('never leaves the service without an administrator, not even when two remove each other at once', async () => {
      const roleId = await system('system_administrator');
      const second = await make.user({ is_superuser: true });
      const first = people.superuser!;
      const answers = await Promise.all([
        attempt(test.db, first, roleId, { userId: second.id, revoke: true }),
        attempt(test.db, second, roleId, { userId: first.id, revoke: true }),
      ]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([204, 403]);
      expect(await test.db('users').where({ is_superuser: true })).to.have.length(1);
      await test.db('users').where('id', first.id).update({ is_superuser: true });
      await test.db('users').where('id', second.id).update({ is_superuser: false });
      expect((await attempt(test.db, first, roleId, { userId: first.id, revoke: true })).status).to.equal(403);
    });
  });

  it('a read-only token gives nothing', async () => {
    const admin = { ...people.superuser!, read_only: true };
    expect((await attempt(test.db, admin, await roleOf('inventory', 'use_role'), target())).status).to.equal(403);
  });

  it('are judged for a whole page in three statements', async () => {
    const pairs = [];
    for (const field of ['use_role', 'update_role', 'read_role']) {
      const role = await test
        .db('roles')
        .where('id', await roleOf('inventory', field))
        .first();
      pairs.push({ role, user_id: people.target!.id, team_id: null }, { role, user_id: null, team_id: team.id });
    }
    let statements = 0;
    const count = () => void (statements += 1);
    test.db.on('query', count);
    const may = await mayChangeGrants(test.db, people['record admin']!, settingsWith(), pairs);
    test.db.removeListener('query', count);
    expect(may).to.deep.equal(pairs.map(() => true));
    expect(statements).to.equal(3);
  });
});

describe('concurrent grants', () => {
  let test: TestDatabase;
  let make: World;
  before(async () => {
    test = await createTestDatabase();
    make = world(test.db);
  });
  after(() => test.drop());

  it('see what follows from each other: joining a team while the team joins another', async () => {
    for (let round = 0; round < 20; round++) {
      const org = await make.organization();
      const [a, b, c] = [await make.team(org), await make.team(org), await make.team(org)];
      const user = await make.user();
      await Promise.all([
        make.give('team', a, 'member_role', user),
        make.giveTeam('team', b, 'member_role', a),
        make.giveTeam('team', c, 'member_role', b),
      ]);
      const rows = await test.db('team_users').where('user_id', user.id).orderBy('team_id');
      expect(rows.map((row: any) => row.team_id)).to.deep.equal([a.id, b.id, c.id]);
    }
  });

  it('see teams that are made meanwhile', async () => {
    for (let round = 0; round < 20; round++) {
      const org = await make.organization();
      const keeper = await make.user();
      await Promise.all([make.give('organization', org, 'admin_role', keeper), make.team(org), make.team(org)]);
      expect(await test.db('team_users').where('user_id', keeper.id)).to.have.length(2);
    }
  });

  it('of the same role to the same user are one', async () => {
    const project = await make.project(await make.organization());
    const user = await make.user();
    const superuser = await make.user({ is_superuser: true });
    const roleId = await make.roleId('project', project, 'use_role');
    const results = await Promise.all(
      Array.from({ length: 8 }, () => attempt(test.db, superuser, roleId, { userId: user.id })),
    );
    expect(results.filter((one: any) => one.changed)).to.have.length(1);
    expect(results.every(({ status }) => status === 204)).to.equal(true);
  });
});
