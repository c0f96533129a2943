import type { Actor } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { besideSql, heldOn, keepBeside, roleColumns } from '../../core/rbac/held.ts';
import { direct, parent } from '../../core/rbac/role-rules.ts';
import { anyOf } from '../../core/rbac/rules.ts';
import { type TestDatabase, createTestDatabase } from '../support/database.ts';
import { type World, world } from './world.ts';

describe('Roles held on the records that a row names', () => {
  let test: TestDatabase;
  let make: World;
  before(async () => {
    test = await createTestDatabase();
    make = world(test.db);
  });
  after(() => test.drop());

  const rule = anyOf(
    parent('template_id', 'job_template', 'execute_role'),
    parent('organization_id', 'organization', 'execute_role'),
    direct('organization_id', 'auditor_role'),
  );

  async function statementsOf(work: () => Promise<unknown>): Promise<number> {
    let sent = 0;
    const note = () => void (sent += 1);
    test.db.on('query', note);
    await work();
    test.db.off('query', note);
    return sent;
  }

  async function stage() {
    const organization = await make.organization();
    const template = await make.jobTemplate(organization);
    const user = await make.user();
    return { organization, template, user, row: { template_id: template.id, organization_id: organization.id } };
  }

  it('are asked for one by one, as far as they decide', async () => {
    const { organization, user, row } = await stage();
    expect(await statementsOf(async () => rule.row(user, row, test.db))).to.equal(3);
    await make.give('organization', organization, 'execute_role', user);
    // given on the organization, it is held on the template
    expect(await statementsOf(async () => expect(await rule.row(user, row, test.db)).to.equal(true))).to.equal(1);
  });

  /** As a detail reads it. */
  async function withRoles(row: { template_id: number; organization_id: number }, user: Actor) {
    const columns = roleColumns([rule]);
    const sql = `select ${besideSql(columns, 'x', '?')} as beside from (select ?::bigint as template_id, ?::bigint as organization_id) x`;
    const callers = Array.from({ length: sql.split('?').length - 3 }, () => user.id);
    const { rows } = await test.db.raw(sql, [...callers, row.template_id, row.organization_id]);
    keepBeside(row, user, columns, rows[0].beside);
    return row;
  }

  it('are known of the caller that a row was read for', async () => {
    const { organization, user, row } = await stage();
    await make.give('organization', organization, 'auditor_role', user);
    await withRoles(row, user);
    const judge = async (actor: Actor, verdict: boolean) =>
      expect(await rule.row(actor, row, test.db)).to.equal(verdict);
    expect(await statementsOf(() => judge(user, true))).to.equal(0);
    const other = await make.user();
    expect(await statementsOf(() => judge(other, false))).to.equal(3);
  });

  it('are asked for where the row has come to name another record, or is a copy', async () => {
    const { organization, user, row } = await stage();
    await withRoles(row, user);
    const elsewhere = await make.organization();
    await make.give('organization', elsewhere, 'auditor_role', user);
    expect(await rule.row(user, row, test.db)).to.equal(false);
    row.organization_id = elsewhere.id;
    expect(await rule.row(user, row, test.db)).to.equal(true);
    row.organization_id = organization.id;
    await make.give('organization', organization, 'auditor_role', user);
    expect(await rule.row(user, { ...row }, test.db)).to.equal(true);
  });

  it('are asked for where what came along is about other roles', async () => {
    const { organization, user, row } = await stage();
    await make.give('organization', organization, 'project_admin_role', user);
    await withRoles(row, user);
    const other = parent('organization_id', 'organization', 'project_admin_role');
    expect(await statementsOf(async () => expect(await other.row(user, row, test.db)).to.equal(true))).to.equal(1);
  });

  it('tell a grant to the caller from one to a team', async () => {
    const { organization, user } = await stage();
    const team = await make.team(organization);
    await make.give('team', team, 'member_role', user);
    await make.giveTeam('organization', organization, 'execute_role', team);
    const about = { type: 'organization', id: organization.id } as const;
    const held = await heldOn(test.db, user, about, ['execute_role', 'read_role', 'admin_role'], {});
    expect(held.role('execute_role')).to.equal(true);
    expect(held.role('read_role')).to.equal(true);
    expect(held.role('admin_role')).to.equal(false);
    expect(held.directly(['execute_role'])).to.equal(false);
    await make.give('organization', organization, 'execute_role', user);
    const now = await heldOn(test.db, user, about, ['auditor_role', 'execute_role'], {});
    expect(now.directly(['auditor_role', 'execute_role'])).to.equal(true);
  });

  it('are none on what is not there, or is of another kind', async () => {
    const { organization, user } = await stage();
    await make.give('organization', organization, 'admin_role', user);
    const project = await make.project(organization);
    const reads = async (type: 'job_template' | 'project', id: number) =>
      (await heldOn(test.db, user, { type, id }, ['read_role'], {})).role('read_role');
    for (const id of [project.id, 1e9]) expect(await reads('job_template', id)).to.equal(false);
    expect(await reads('project', project.id)).to.equal(true);
  });
});
