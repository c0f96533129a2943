import { type Actor, ApiError } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { accessList } from '../../core/rbac/access-list.ts';
import { capabilities, capabilityRules } from '../../core/rbac/capabilities.ts';
import { createDoors } from '../../core/rbac/doors.ts';
import { explainAccess } from '../../core/rbac/explain.ts';
import { createMetrics } from '../../core/observe/metrics.ts';
import { coreResources } from '../../core/resources/index.ts';
import { jobAccess } from '../../core/run-kinds/job/rules.ts';
import { assertRights, rightsOfLink } from '../../core/rbac/rights.ts';
import { narrowToRoleLevel } from '../../core/rbac/role-level.ts';
import { parent, role } from '../../core/rbac/role-rules.ts';
import { giveToCreator } from '../../core/rbac/roles.ts';
import { columnIs, not } from '../../core/rbac/rules.ts';
import { type TestDatabase, createTestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';
import { withRuns } from '../support/runs.ts';
import { type World, idsFor, settingsWith, world } from './world.ts';

describe('what clients read of access', () => {
  let test: TestDatabase;
  let make: World;
  let org: any;
  let team: any;
  let template: any;
  let project: any;
  let inventory: any;
  let people: Record<'admin' | 'user' | 'member' | 'auditor' | 'superuser' | 'systemAuditor', Actor>;
  const resources = coreResources(
    withRuns({ settings: settingsWith(), log: silentLog, metrics: createMetrics(), config: {} }),
  );
  const resource = (type: string) => resources.find((one) => one.type === type)!;

  before(async () => {
    test = await createTestDatabase();
    make = world(test.db);
    org = await make.organization();
    team = await make.team(org);
    project = await make.project(org, { scm_type: 'git' });
    inventory = await make.inventory(org);
    template = await make.jobTemplate(org, { project_id: project.id, inventory_id: inventory.id });
    people = {
      admin: await make.user(),
      user: await make.user(),
      member: await make.user(),
      auditor: await make.user(),
      superuser: await make.user({ is_superuser: true }),
      systemAuditor: await make.user({ is_system_auditor: true }),
    };
    await make.give('organization', org, 'admin_role', people.admin);
    await make.give('organization', org, 'auditor_role', people.auditor);
    await make.give('job_template', template, 'execute_role', people.user);
    await make.give('team', team, 'member_role', people.member);
    await make.giveTeam('job_template', template, 'read_role', team);
  });
  after(() => test.drop());

  const statements = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
    let count = 0;
    const add = () => void (count += 1);
    test.db.on('query', add);
    const result = await work();
    test.db.removeListener('query', add);
    return [result, count];
  };

  describe('access_list', () => {
    it("names each user's own roles and those through teams as direct, all others as indirect, in a constant number of statements", async () => {
      const everybody = Object.values(people).map(({ id }) => id);
      const [entries, count] = await statements(async () =>
        (await accessList(test.db, 'job_template', template.id)).entries(everybody, people.admin, settingsWith()),
      );
      expect(count).to.be.at.most(6);
      const short = (user: Actor) => {
        const { direct_access, indirect_access } = entries.get(user.id)!;
        return [direct_access, indirect_access].map((list) =>
          list.map(({ role: { name, resource_type }, descendant_roles }) => [
            resource_type ?? 'system',
            name,
            descendant_roles,
          ]),
        );
      };
      expect(short(people.user)).to.deep.equal([[['job_template', 'Execute', ['execute_role', 'read_role']]], []]);
      // its admin is in the team as well
      expect(short(people.admin)).to.deep.equal([
        [['job_template', 'Read', ['read_role']]],
        [['organization', 'Admin', ['admin_role', 'execute_role', 'read_role']]],
      ]);
      expect(short(people.auditor)).to.deep.equal([[], [['organization', 'Auditor', ['read_role']]]]);
      expect(short(people.superuser)).to.deep.equal([
        [],
        [['system', 'System Administrator', ['admin_role', 'execute_role', 'read_role']]],
      ]);
      expect(short(people.systemAuditor)).to.deep.equal([[], [['system', 'System Auditor', ['read_role']]]]);
      expect(entries.get(people.member.id)!.direct_access).to.deep.equal([
        {
          role: {
            id: await make.roleId('job_template', template, 'read_role'),
            name: 'Read',
            description: 'May view settings for the job template',
            resource_name: template.name,
            resource_type: 'job_template',
            related: { job_template: `/api/v2/job_templates/${template.id}/` },
            team_id: team.id,
            team_name: team.name,
            team_organization_name: org.name,
            user_capabilities: { unattach: true },
          },
          descendant_roles: ['read_role'],
        },
      ]);
    });

    it('says who may take a role away: nobody a system-wide one', async () => {
      const list = await accessList(test.db, 'job_template', template.id);
      const unattach = async (actor: Actor, user: Actor) => {
        const { direct_access, indirect_access } = (await list.entries([user.id], actor, settingsWith())).get(user.id)!;
        return [...direct_access, ...indirect_access].map((entry) => (entry.role.user_capabilities as any).unattach);
      };
      expect(await unattach(people.superuser, people.systemAuditor)).to.deep.equal([false]);
      expect(await unattach(people.superuser, people.user)).to.deep.equal([true]);
      expect(await unattach(people.user, people.user)).to.deep.equal([false]);
    });

    it('can be narrowed to some roles, and knows types without roles', async () => {
      const ids = async (type: string, id: number, roles?: number[]) => {
        const builder = test.db.from('users as t').select('t.id').orderBy('t.id');
        (await accessList(test.db, type, id)).narrow(builder, 't', roles);
        return (await builder).map((row: any) => row.id);
      };
      expect(
        await ids('job_template', template.id, [await make.roleId('job_template', template, 'execute_role')]),
      ).to.deep.equal([people.user.id]);
      expect(await ids('user', people.user.id)).to.deep.equal([people.superuser.id, people.systemAuditor.id]);
    });
  });

  describe('user_capabilities', () => {
    it('of a page come in one statement and are true exactly when the rule of the action is', async () => {
      const other = await make.jobTemplate(org);
      const rules = capabilityRules(resource('job_template'));
      for (const actor of Object.values(people)) {
        const [found, count] = await statements(() =>
          capabilities(test.db, actor, 'templates', rules, [template.id, other.id]),
        );
        expect(count).to.equal(1);
        for (const row of [template, other]) {
          for (const [key, rule] of Object.entries(rules))
            expect(found.get(row.id)![key], `${key} of ${row.id} for ${actor.id}`).to.equal(
              await rule.row(actor, row, test.db),
            );
        }
      }
      const of = async (actor: Actor) =>
        (await capabilities(test.db, actor, 'templates', rules, [template.id])).get(template.id);
      expect(await of(people.user)).to.deep.equal({
        start: true,
        schedule: true,
        edit: false,
        copy: false,
        delete: false,
      });
      expect(await of(people.admin)).to.deep.equal({
        start: true,
        schedule: true,
        edit: true,
        copy: true,
        delete: true,
      });
      expect(await of(people.member)).to.deep.equal({
        start: false,
        schedule: false,
        edit: false,
        copy: false,
        delete: false,
      });
      expect((await capabilities(test.db, people.superuser, 'templates', rules, [other.id])).get(other.id)).to.include({
        start: false,
        copy: false,
        edit: true,
      });
    });

    it('of every type have a rule for each key, and query forms that run', async () => {
      for (const [type, table] of Object.entries({
        user: 'users',
        organization: 'organizations',
        team: 'teams',
        inventory: 'inventories',
        host: 'hosts',
        group: 'groups',
        project: 'templates',
        credential: 'credentials',
        credential_type: 'credential_types',
        instance_group: 'instance_groups',
        job: 'runs',
        project_update: 'runs',
        ad_hoc_command: 'runs',
        inventory_source: 'templates',
        inventory_update: 'runs',
      })) {
        const rules = capabilityRules(resource(type));
        expect(Object.keys(rules), type).not.to.deep.equal([]);
        await capabilities(test.db, people.user, table, rules, [1]);
      }
    });

    it('are all false for a read-only token, without asking', async () => {
      const rules = capabilityRules(resource('project'));
      const [found, count] = await statements(() =>
        capabilities(test.db, { ...people.superuser, read_only: true }, 'templates', rules, [project.id]),
      );
      expect([...new Set(Object.values(found.get(project.id)!))]).to.deep.equal([false]);
      expect(count).to.equal(0);
    });
  });

  describe('role_level', () => {
    const level = async (type: string, field: string, actor: Actor) => {
      const builder = test.db.from('inventories as t').select('t.id');
      narrowToRoleLevel(builder, type, field, actor, 't');
      return (await builder).map((row: any) => row.id);
    };

    it('leaves the records on which the caller holds the role by any path; superusers have them all', async () => {
      const orphan = await make.inventory(null);
      expect(await level('inventory', 'use_role', people.admin)).to.deep.equal([inventory.id]);
      expect(await level('inventory', 'use_role', people.auditor)).to.deep.equal([]);
      expect(await level('inventory', 'use_role', people.superuser)).to.have.members([inventory.id, orphan.id]);
    });

    it('knows no such role: none; no roles at all: 400; system job templates: by the system-wide roles', async () => {
      expect(await level('inventory', 'nosuch', people.superuser)).to.deep.equal([]);
      expect(await level('inventory', 'constructor', people.superuser)).to.deep.equal([]);
      const error = await level('host', 'use_role', people.superuser).catch((reason) => reason);
      expect(error).to.be.instanceOf(ApiError).and.include({ status: 400 });
      expect(await level('system_job_template', 'execute_role', people.user)).to.deep.equal([]);
      expect(await level('system_job_template', 'execute_role', people.systemAuditor)).not.to.deep.equal([]);
    });
  });

  describe('explain-access', () => {
    it('says which grant gives each role, and what would give those missing', async () => {
      const { roles, rights, user } = await explainAccess(test.db, 'job_template', template, people.member, {
        see: resource('job_template').access.see,
        launch: resource('job_template').rights!['execute']!,
      });
      expect(user).to.deep.equal({ id: people.member.id, username: people.member.username });
      expect(roles.read_role!.held).to.equal(true);
      expect(roles.read_role!.by).to.deep.equal([
        {
          id: await make.roleId('job_template', template, 'read_role'),
          name: 'Read',
          role_field: 'read_role',
          resource_type: 'job_template',
          resource_id: template.id,
          resource_name: template.name,
          team: { id: team.id, name: team.name },
        },
      ]);
      expect(roles.execute_role!.held).to.equal(false);
      expect(roles.execute_role!.missing.map((one) => [one.resource_type, one.name])).to.deep.equal([
        [null, 'System Administrator'],
        ['organization', 'Admin'],
        ['organization', 'Execute'],
        ['organization', 'Job Template Admin'],
        ['job_template', 'Admin'],
        ['job_template', 'Execute'],
      ]);
      expect(rights.see).to.include({ granted: true });
      expect(rights.launch).to.include({ granted: false });
      expect(rights.launch!.missing).to.deep.equal(roles.execute_role!.missing);
    });

    it('goes down into combined rules, and to the record above', async () => {
      const { rights } = await explainAccess(
        test.db,
        'job',
        { template_id: template.id, organization_id: org.id, created_by_id: null },
        people.user,
        { cancel: jobAccess.cancel, see: jobAccess.see },
      );
      expect(rights.see!.granted).to.equal(true);
      expect(rights.see!.parts![0]!.by!.map((one) => one.name)).to.deep.equal(['Execute']);
      expect(rights.cancel!.granted).to.equal(false);
      expect(rights.cancel!.parts!.map((part) => part.granted)).to.deep.equal([false, false, false, false]);
    });
  });

  describe('rights on what a body names', () => {
    it('are asked for in one statement; the missing one is named', async () => {
      const needed = [
        { type: 'project', field: 'use_role', id: project.id },
        { type: 'inventory', field: 'use_role', id: inventory.id },
        { type: 'job_template', field: 'execute_role', id: template.id },
      ] as const;
      const [, count] = await statements(() => assertRights(test.db, people.admin, needed));
      expect(count).to.equal(1);
      const refusal = await assertRights(test.db, people.user, needed.toReversed()).catch((error) => error);
      expect(refusal).to.include({ status: 403 });
      expect(refusal.body.detail).to.equal(`You do not have the use right on Inventory ${inventory.id}.`);
      // an id of another kind in the shared table is no project
      expect(
        (
          await assertRights(test.db, people.admin, [{ type: 'project', field: 'use_role', id: template.id }]).catch(
            (error) => error,
          )
        ).status,
      ).to.equal(403);
    });

    it('are needed on the old and the new value of a link that changes', () => {
      expect(rightsOfLink('project', 'use_role', 'project_id', { project_id: 1 }, { project_id: 2 })).to.deep.equal([
        { type: 'project', field: 'use_role', id: 1 },
        { type: 'project', field: 'use_role', id: 2 },
      ]);
      expect(rightsOfLink('project', 'use_role', 'project_id', { project_id: 1 }, { project_id: null })).to.have.length(
        1,
      );
      expect(rightsOfLink('project', 'use_role', 'project_id', { project_id: 1 }, { project_id: 1 })).to.deep.equal([]);
      expect(rightsOfLink('project', 'use_role', 'project_id', undefined, {})).to.deep.equal([]);
    });
  });

  describe('rules', () => {
    it('that look into the database say so when they get no connection', async () => {
      const error = await (async () => role('project', 'use_role').row(people.user, project))().catch(
        (reason) => reason,
      );
      expect(error.message).to.contain('pass the connection or transaction');
    });

    it('let nobody in without a login, and superusers where nothing is left to hold a role on', async () => {
      const rule = parent('organization_id', 'organization', 'admin_role');
      expect(await rule.row(null, { organization_id: org.id }, test.db)).to.equal(false);
      expect(await idsFor(test.db, 'inventory', role('inventory', 'read_role'), null)).to.deep.equal([]);
      expect(await rule.row(people.superuser, { organization_id: null }, test.db)).to.equal(true);
      expect(await rule.row(people.admin, { organization_id: null }, test.db)).to.equal(false);
    });

    it('make a creator the admin of its record', async () => {
      const own = await make.jobTemplate(null);
      await giveToCreator(test.db, 'job_template', own.id, people.user.id);
      expect(await role('job_template', 'admin_role').row(people.user, own, test.db)).to.equal(true);
    });
  });

  describe('doors', () => {
    it('a restriction hides rows from everybody it says, in both forms, superusers included', async () => {
      const doors = createDoors();
      doors.declare('inventory', resource('inventory').access.see);
      const see = doors.visible('inventory');
      const hidden = await make.inventory(org, { kind: 'smart' });
      expect(await idsFor(test.db, 'inventory', see, people.superuser)).to.include(hidden.id);
      doors.restrict('inventory', 'no smart ones', not(columnIs('kind', 'smart')));
      for (const actor of [people.superuser, people.admin]) {
        expect(await idsFor(test.db, 'inventory', see, actor))
          .to.include(inventory.id)
          .and.not.include(hidden.id);
        expect(await see.row(actor, hidden, test.db)).to.equal(false);
        expect(await see.row(actor, inventory, test.db)).to.equal(true);
      }
      // it takes away, it never gives
      expect(await see.row(people.user, inventory, test.db)).to.equal(false);
    });

    it("a guard runs inside the write's transaction with the rows and their number, and may refuse", async () => {
      const doors = createDoors();
      doors.guard('host', 'create', async ({ trx, rows, count }) => {
        const [{ total }] = await trx('hosts')
          .where('inventory_id', Number(rows[0].inventory_id))
          .count({ total: '*' });
        if (Number(total) + count > 2) throw new ApiError(403, 'Too many hosts.');
      });
      const write = (names: string[]) =>
        test.db
          .transaction(async (trx) => {
            const rows = names.map((name) => ({ name, inventory_id: inventory.id }));
            await doors.check('host', 'create', { trx, actor: people.admin, rows });
            await trx('hosts').insert(rows);
          })
          .then(
            () => 'done',
            (error: ApiError) => error.body.detail,
          );
      expect(await write(['one', 'two'])).to.equal('done');
      expect(await write(['three'])).to.equal('Too many hosts.');
      await doors.check('host', 'delete', { trx: test.db, actor: people.admin, rows: [] });
    });

    it('are shut once the service starts', () => {
      const doors = createDoors();
      doors.freeze();
      expect(() => doors.guard('host', 'create', () => undefined)).to.throw('came too late');
      expect(() => doors.restrict('host', 'x', columnIs('enabled', true))).to.throw('came too late');
    });
  });
});
