import { expect } from 'chai';
import { type AccessStage, openAccessStage } from './stage.ts';

describe('giving and taking roles over the API', () => {
  let stage: AccessStage;
  const ask = (name: string, method: string, path: string, body?: unknown) =>
    stage.as[name]!(method, `/api/v2/${path}`, body);
  const roleId = async (type: string, field: string) =>
    (await ask('superuser', 'GET', `${type}s/${stage.ids[type]}/`.replace('inventorys', 'inventories'))).body
      .summary_fields.object_roles[field].id;

  before(async () => {
    stage = await openAccessStage();
  });
  after(() => stage?.stop());

  it('shows the roles of a record with it, in their order, and as a list below it', async () => {
    const { body } = await ask('orgAdmin', 'GET', `organizations/${stage.ids.organization}/`);
    const { object_roles: roles } = body.summary_fields;
    expect(Object.keys(roles).slice(0, 2)).to.deep.equal(['admin_role', 'execute_role']);
    expect(roles.admin_role).to.include({ name: 'Admin', user_only: true });
    const list = await ask('orgAdmin', 'GET', `organizations/${stage.ids.organization}/object_roles/?page_size=50`);
    expect(list.body.count).to.equal(13);
    const one = list.body.results.find(({ id }: any) => id === roles.admin_role.id);
    expect(one).to.include({ type: 'role', name: 'Admin' });
    expect(Object.keys(one.related).toSorted()).to.deep.equal(['organization', 'teams', 'users']);
    expect(one.summary_fields).to.include({ resource_name: 'Ours', resource_type: 'organization' });
    expect((await ask('outsider', 'GET', `organizations/${stage.ids.organization}/object_roles/`)).status).to.equal(
      404,
    );
  });

  it('gives and takes through every path, again and again', async () => {
    const role = await roleId('job_template', 'read_role');
    const detail = `job_templates/${stage.ids.job_template}/`;
    const { outsider } = stage.users;
    const paths: [string, number][] = [
      [`roles/${role}/users/`, outsider.id],
      [`users/${outsider.id}/roles/`, role],
    ];
    for (const [path, id] of paths) {
      for (const more of [{}, {}]) expect((await ask('orgAdmin', 'POST', path, { id, ...more })).status).to.equal(204);
      expect((await ask('outsider', 'GET', detail)).status).to.equal(200);
      for (const disassociate of [true, 1])
        expect((await ask('orgAdmin', 'POST', path, { id, disassociate })).status).to.equal(204);
      expect((await ask('outsider', 'GET', detail)).status).to.equal(404);
    }
    for (const [path, id] of [
      [`roles/${role}/teams/`, stage.ids.team],
      [`teams/${stage.ids.team}/roles/`, role],
    ] as [string, number][]) {
      expect((await ask('orgAdmin', 'POST', path, { id })).status).to.equal(204);
      expect((await ask('orgAdmin', 'GET', path)).body.results.map((one: any) => one.id)).to.include(id);
      expect((await ask('orgAdmin', 'POST', path, { id, disassociate: true })).status).to.equal(204);
    }
  });

  it('refuses those who do not administer the record', async () => {
    const role = await roleId('job_template', 'read_role');
    const { member } = stage.users;
    const give = (name: string) => ask(name, 'POST', `roles/${role}/users/`, { id: member.id });
    expect((await give('job_template.execute_role')).status).to.equal(403);
    expect((await give('readToken')).status).to.equal(403);
    expect((await give('otherAdmin')).status).to.equal(404);
    expect((await ask('orgAdmin', 'POST', `roles/${role}/users/`, { id: 999_999 })).status).to.equal(400);
    expect((await ask('orgAdmin', 'POST', `roles/${role}/users/`, { id: '1' })).status).to.equal(400);
    expect((await ask('orgAdmin', 'POST', `roles/${role}/users/`, {})).status).to.equal(400);
    expect((await ask('superuser', 'DELETE', `roles/${role}/`)).status).to.equal(405);
  });

  it("lets an organization's administrators make and place users there", async () => {
    const path = `organizations/${stage.ids.organization}/users/`;
    const body = { username: 'newcomer', password: 'long enough 1' };
    expect((await ask('member', 'POST', path, body)).status).to.equal(403);
    expect((await ask('orgAdmin', 'POST', path, { ...body, is_superuser: true })).status).to.equal(403);
    const made = await ask('orgAdmin', 'POST', path, body);
    expect(made.status, made.text).to.equal(201);
    const members = await ask('member', 'GET', `${path}?username=newcomer`);
    expect(members.body.results.map(({ id }: any) => id)).to.deep.equal([made.body.id]);
    expect((await ask('orgAdmin', 'POST', path, { id: made.body.id, disassociate: true })).status).to.equal(204);
    expect((await ask('member', 'GET', `users/${made.body.id}/`)).status).to.equal(404);
  });

  it('never lets the last superuser go', async () => {
    const admin = (await ask('superuser', 'GET', 'me/')).body.results[0].id;
    const [{ id }] = (await ask('superuser', 'GET', 'roles/?singleton_name=system_administrator')).body.results;
    const reply = await ask('superuser', 'POST', `roles/${id}/users/`, { id: admin, disassociate: true });
    expect(reply.status).to.equal(403);
  });

  it('lists who has access and how', async () => {
    const path = `job_templates/${stage.ids.job_template}/access_list/`;
    const { body } = await ask('orgAdmin', 'GET', `${path}?page_size=100`);
    const of = (name: string) => body.results.find((user: any) => user.username === name)?.summary_fields;
    expect(of('teammate').direct_access[0].role).to.include({ team_id: stage.ids.team, name: 'Execute' });
    expect(of('orgExecute').indirect_access[0].role).to.include({ name: 'Execute', resource_type: 'organization' });
    expect(of('outsider')).to.equal(undefined);
    expect(body.results[0]).to.not.have.property('auth');
    expect((await ask('outsider', 'GET', path)).status).to.equal(404);
  });

  it('explains access to who may know', async () => {
    const path = `job_templates/${stage.ids.job_template}/explain-access/`;
    const { teammate, outsider } = stage.users;
    const own = await ask('teammate', 'GET', path);
    expect(own.body.roles.execute_role.by[0].team.id).to.equal(stage.ids.team);
    expect(own.body.rights.change.granted).to.equal(false);
    expect((await ask('teammate', 'GET', `${path}?user=${outsider.id}`)).status).to.equal(400);
    const asked = await ask('orgAdmin', 'GET', `${path}?user=${teammate.id}`);
    expect(asked.body.rights.see.granted).to.equal(true);
    expect((await ask('outsider', 'GET', path)).status).to.equal(404);
  });

  it('narrows lists by role_level', async () => {
    const count = async (name: string, level: string) =>
      (await ask(name, 'GET', `job_templates/?role_level=${level}`)).body.count;
    expect(await count('teammate', 'execute_role')).to.equal(1);
    expect(await count('teammate', 'admin_role')).to.equal(0);
    expect(await count('superuser', 'admin_role')).to.equal(1);
    expect((await ask('teammate', 'GET', 'hosts/?role_level=admin_role')).status).to.equal(400);
  });

  it('shows pages at a constant number of statements', async () => {
    const { db } = stage.api;
    const statements = async () => {
      let count = 0;
      const counted = () => void count++;
      db.on('query', counted);
      await ask('orgAdmin', 'GET', 'job_templates/');
      db.off('query', counted);
      return count;
    };
    const one = await statements();
    for (let index = 0; index < 5; index++) await stage.make.jobTemplate(stage.rows.organization);
    expect(await statements()).to.be.at.most(one);
  });
});
