import { expect } from 'chai';
import { role } from '../../core/rbac/role-rules.ts';
import { roleFieldsOf } from '../../core/rbac/definitions.ts';
import { giveCredentialToTeam, objectRoleIdsSql, objectRoles, roleResources } from '../../core/rbac/roles.ts';
import { whereChildren, whereParents } from '../../core/rbac/role-links.ts';
import { type TestDatabase, createTestDatabase } from '../support/database.ts';
import { type World, idsFor, world } from './world.ts';

describe('roles of records', () => {
  let test: TestDatabase;
  let make: World;
  before(async () => {
    test = await createTestDatabase();
    make = world(test.db);
  });
  after(() => test.drop());

  const fieldsOf = async (type: string, id: number) =>
    (await test.db('roles').where({ content_type: type, object_id: id }).orderBy('id')).map(
      (row: any) => row.role_field,
    );
  const teamsOf = async (user: { id: number }) =>
    (await test.db('team_users').where('user_id', user.id).orderBy('team_id')).map((row: any) => [
      row.team_id,
      row.is_admin,
    ]);

  it('come with the record, whoever wrote it, and go with it', async () => {
    const org = await make.organization();
    const records = {
      organization: org,
      team: await make.team(org),
      inventory: await make.inventory(org),
      project: await make.project(org),
      job_template: await make.jobTemplate(org),
      workflow_job_template: await make.workflow(org),
      credential: await make.credential(org),
      instance_group: await make.instanceGroup(),
    };
    for (const [type, row] of Object.entries(records))
      expect(await fieldsOf(type, row.id), type).to.deep.equal(roleFieldsOf(type));
    await test.db('templates').where('id', records.project.id).delete();
    expect(await fieldsOf('project', records.project.id)).to.deep.equal([]);
    expect(await fieldsOf('job_template', records.job_template.id)).to.have.length(3);
    // teams and credentials go with their organization, and so do their roles
    await test.db('organizations').where('id', org.id).delete();
    for (const type of ['organization', 'team', 'credential'] as const)
      expect(await fieldsOf(type, records[type].id), type).to.deep.equal([]);
    expect(await fieldsOf('inventory', records.inventory.id)).to.have.length(5);
  });

  it('take the access they gave along', async () => {
    const org = await make.organization();
    const user = await make.user();
    const team = await make.team(org);
    const inventory = await make.inventory(org);
    await make.give('team', team, 'member_role', user);
    await make.giveTeam('inventory', inventory, 'use_role', team);
    await test.db('inventories').where('id', inventory.id).delete();
    expect(await test.db('held_roles').where('user_id', user.id)).to.have.length(1);
    await test.db('teams').where('id', team.id).delete();
    expect(await test.db('held_roles').where('user_id', user.id)).to.deep.equal([]);
    expect(await teamsOf(user)).to.deep.equal([]);
  });

  it('follow the record to another organization; explicit grants stay', async () => {
    const [from, to] = [await make.organization(), await make.organization()];
    const [before, after, own] = [await make.user(), await make.user(), await make.user()];
    const project = await make.project(from);
    await make.give('organization', from, 'project_admin_role', before);
    await make.give('organization', to, 'project_admin_role', after);
    await make.give('project', project, 'use_role', own);
    const use = role('project', 'use_role');
    const who = async () =>
      [before, after, own].map(async (user) => (await idsFor(test.db, 'project', use, user)).includes(project.id));
    expect(await Promise.all(await who())).to.deep.equal([true, false, true]);
    await test.db('templates').where('id', project.id).update({ organization_id: to.id });
    expect(await Promise.all(await who())).to.deep.equal([false, true, true]);
    await test.db('templates').where('id', project.id).update({ organization_id: null });
    expect(await Promise.all(await who())).to.deep.equal([false, false, true]);
  });

  it("follow a job template's inventory: the auditor of its organization reads the template", async () => {
    const [org, other] = [await make.organization(), await make.organization()];
    const user = await make.user();
    const template = await make.jobTemplate(org, { inventory_id: (await make.inventory(org)).id });
    await make.give('organization', other, 'auditor_role', user);
    const read = role('job_template', 'read_role');
    expect(await read.row(user, template, test.db)).to.equal(false);
    await test
      .db('templates')
      .where('id', template.id)
      .update({ inventory_id: (await make.inventory(other)).id });
    expect(await read.row(user, template, test.db)).to.equal(true);
    expect(await role('job_template', 'execute_role').row(user, template, test.db)).to.equal(false);
  });

  it('mirror the flags of users in the two system-wide roles', async () => {
    const user = await make.user({ is_superuser: true });
    const names = async () =>
      (
        await test
          .db('role_users as g')
          .join('roles as r', 'r.id', 'g.role_id')
          .where('g.user_id', user.id)
          .orderBy('r.id')
      ).map((row: any) => row.singleton_name);
    expect(await names()).to.deep.equal(['system_administrator']);
    await test.db('users').where('id', user.id).update({ is_superuser: false, is_system_auditor: true });
    expect(await names()).to.deep.equal(['system_auditor']);
  });

  it('are summed up from the statement of their record, in the order of the definitions', async () => {
    const org = await make.organization();
    const ids = objectRoleIdsSql('organization').replaceAll('{alias}', 'o');
    const { rows } = await test.db.raw(`select ${ids} as ids from organizations o where id = ?`, [org.id]);
    const found = objectRoles('organization', rows[0].ids);
    expect(Object.keys(found)).to.deep.equal(roleFieldsOf('organization'));
    expect(found.admin_role).to.deep.equal({
      id: await make.roleId('organization', org, 'admin_role'),
      name: 'Admin',
      description: 'Can manage all aspects of the organization',
      user_only: true,
    });
    expect(found.execute_role).not.to.have.property('user_only');
    const [row] = await test.db('roles').where('id', found.admin_role!.id);
    const [system] = await test.db('roles').where('singleton_name', 'system_auditor');
    expect([...(await roleResources(test.db, [row, system]))]).to.deep.equal([
      [
        row.id,
        {
          resource_name: org.name,
          resource_type: 'organization',
          resource_type_display_name: 'Organization',
          resource_id: org.id,
        },
      ],
    ]);
  });

  describe('parents and children', () => {
    const links = async (narrow: typeof whereParents, id: number) => {
      const builder = test.db.from('roles as t').select('t.*').orderBy('t.id');
      narrow(builder, await test.db('roles').where('id', id).first(), 't');
      return (await builder)
        .map((row: any): string => row.singleton_name ?? `${row.content_type}.${row.role_field}`)
        .toSorted();
    };

    it('are the direct links, teams among them', async () => {
      const org = await make.organization();
      const team = await make.team(org);
      const project = await make.project(org);
      await make.giveTeam('project', project, 'update_role', team);
      expect(await links(whereParents, await make.roleId('project', project, 'update_role'))).to.deep.equal([
        'project.admin_role',
        'team.member_role',
      ]);
      expect(await links(whereParents, await make.roleId('project', project, 'admin_role'))).to.deep.equal([
        'organization.project_admin_role',
        'system_administrator',
      ]);
      expect(await links(whereChildren, await make.roleId('organization', org, 'project_admin_role'))).to.deep.equal([
        'organization.read_role',
        'project.admin_role',
      ]);
      expect(await links(whereChildren, await make.roleId('team', team, 'member_role'))).to.deep.equal([
        'project.update_role',
        'team.read_role',
      ]);
      expect(await links(whereChildren, await make.roleId('project', project, 'read_role'))).to.deep.equal([]);
    });
  });

  describe('teams', () => {
    it("give their roles to members and to their admins, the organization's admins included", async () => {
      const org = await make.organization();
      const team = await make.team(org);
      const [member, admin, keeper, stranger] = [
        await make.user(),
        await make.user(),
        await make.user(),
        await make.user(),
      ];
      await make.give('organization', org, 'admin_role', keeper);
      await make.give('team', team, 'member_role', member);
      await make.give('team', team, 'admin_role', admin);
      const inventory = await make.inventory(await make.organization());
      await make.giveTeam('inventory', inventory, 'update_role', team);
      const update = role('inventory', 'update_role');
      for (const user of [member, admin, keeper]) expect(await update.row(user, inventory, test.db)).to.equal(true);
      expect(await update.row(stranger, inventory, test.db)).to.equal(false);
      await make.take('organization', org, 'admin_role', keeper);
      expect(await teamsOf(keeper)).to.deep.equal([]);
    });

    it('that come later count for those who administer the organization already', async () => {
      const org = await make.organization();
      const keeper = await make.user();
      await make.give('organization', org, 'admin_role', keeper);
      const team = await make.team(org);
      expect(await teamsOf(keeper)).to.deep.equal([[team.id, true]]);
      await test
        .db('teams')
        .where('id', team.id)
        .update({ organization_id: (await make.organization()).id });
      expect(await teamsOf(keeper)).to.deep.equal([]);
    });

    it('may be members of teams, in rings too, and lose it when a link between breaks', async () => {
      const org = await make.organization();
      const [a, b, c] = [await make.team(org), await make.team(org), await make.team(org)];
      const user = await make.user();
      await make.give('team', a, 'member_role', user);
      await make.giveTeam('team', b, 'member_role', a);
      await make.giveTeam('team', c, 'admin_role', b);
      await make.giveTeam('team', a, 'member_role', c);
      expect(await teamsOf(user)).to.deep.equal([
        [a.id, false],
        [b.id, false],
        [c.id, true],
      ]);
      await make.takeTeam('team', b, 'member_role', a);
      expect(await teamsOf(user)).to.deep.equal([[a.id, false]]);
      await make.giveTeam('team', b, 'member_role', a);
      await test.db('teams').where('id', b.id).delete();
      expect(await teamsOf(user)).to.deep.equal([[a.id, false]]);
    });

    it('hand a credential made for them to admins to administer and to members to use', async () => {
      const org = await make.organization();
      const team = await make.team(org);
      const [member, admin] = [await make.user(), await make.user()];
      await make.give('team', team, 'member_role', member);
      await make.give('team', team, 'admin_role', admin);
      const credential = await make.credential(org);
      await giveCredentialToTeam(test.db, credential.id, team.id);
      const may = (user: any) =>
        Promise.all(
          ['admin_role', 'use_role'].map(async (field) => role('credential', field).row(user, credential, test.db)),
        );
      expect(await may(member)).to.deep.equal([false, true]);
      expect(await may(admin)).to.deep.equal([true, true]);
    });
  });
});
