import { expect } from 'chai';
import { allowedPermissions, permissionsOf, rolesGiving } from '../../core/rbac/assignments/permission-names.ts';
import { managedDefinitions } from '../../core/rbac/assignments/managed-definitions.ts';
import { startService, type TestService } from '../support/service.ts';

describe('role definitions', function () {
  let service: TestService;
  let made = 0;
  const password = 'long enough 1';
  before(async () => (service = await startService({ TAPLINE_ROLES: 'web' })));
  after(() => service.stop());

  const create = async (path: string, body: object, auth?: string) => {
    const answer = await service.post(path, body, auth ? { auth } : {});
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body;
  };
  const person = async () => {
    const user = await create('users/', { username: `person${++made}`, password });
    await service.post('organizations/1/users/', { id: user.id });
    return { ...user, auth: `${user.username}:${password}` };
  };
  const team = () => create('teams/', { name: `team ${++made}`, organization: 1 });
  const inventory = () => create('inventories/', { name: `inventory ${++made}`, organization: 1 });
  const managed = async (name: string) => (await service.get(`role_definitions/?name=${name}`)).body.results[0];
  const custom = (content_type: string, ...permissions: string[]) =>
    create('role_definitions/', { name: `custom ${++made}`, content_type, permissions });
  const mayUse = (at: { id: number }, who: { auth: string }) =>
    service
      .get(`inventories/?id=${at.id}&role_level=use_role`, { auth: who.auth })
      .then(({ body }) => body.count === 1);
  const rolesOf = async (who: { id: number }) =>
    (await service.get(`users/${who.id}/roles/?order_by=id`)).body.results.map((role: any) => role.name);

  it('are there for every role, by the names that clients know', async () => {
    const { body } = await service.get('role_definitions/?managed=true&page_size=200');
    expect(body.count).to.equal(managedDefinitions.length);
    const names = body.results.map(({ name }: any) => name);
    expect(names).to.include.members([
      'Organization Admin',
      'Organization Member',
      'Organization Audit',
      'Organization Execute',
      'Organization Approval',
      'Organization JobTemplate Admin',
      'Organization WorkflowJobTemplate Admin',
      'Organization ExecutionEnvironment Admin',
      'Team Admin',
      'Team Member',
      'Inventory Admin',
      'Inventory Use',
      'Inventory Adhoc',
      'Inventory Update',
      'Project Use',
      'Project Update',
      'Credential Use',
      'JobTemplate Execute',
      'InstanceGroup Use',
      'WorkflowJobTemplate Execute',
      'WorkflowJobTemplate Approve',
      'System Administrator',
      'System Auditor',
    ]);
    expect(body.results.find(({ name }: any) => name === 'Inventory Use')).to.deep.include({
      content_type: 'awx.inventory',
      permissions: ['awx.use_inventory', 'awx.view_inventory'],
      managed: true,
    });
  });

  it('refuse changes of managed ones, and of the kind of record', async () => {
    const { id } = await managed('Inventory Use');
    for (const method of ['PATCH', 'DELETE'])
      expect((await service.request(method, `role_definitions/${id}/`, { body: { name: 'mine' } })).status).to.equal(
        403,
      );
    const own = await custom('awx.inventory', 'awx.view_inventory');
    const { body } = await service.request('PATCH', `role_definitions/${own.id}/`, {
      body: { content_type: 'awx.project' },
    });
    expect(body.content_type).to.equal('awx.inventory');
  });

  it('say which permissions there are', async () => {
    const { body } = await service.get('role_metadata/');
    expect(body.allowed_permissions['awx.jobtemplate']).to.deep.equal([
      'awx.change_jobtemplate',
      'awx.delete_jobtemplate',
      'awx.execute_jobtemplate',
      'awx.view_jobtemplate',
    ]);
    expect(Object.keys(body.allowed_permissions)).to.have.lengthOf(8);
  });

  it('stand for the fewest roles that give just their permissions, whatever the prefix', () => {
    expect(rolesGiving('job_template', ['x.view_jobtemplate', 'execute_jobtemplate'])).to.deep.equal(['execute_role']);
    expect(rolesGiving('inventory', ['view_inventory', 'use_inventory', 'update_inventory'])).to.deep.equal([
      'update_role',
      'use_role',
    ]);
    for (const { record_type, role_fields, permissions } of managedDefinitions)
      if (record_type) {
        const given = rolesGiving(record_type, permissions).flatMap((field) => [...permissionsOf(record_type, field)]);
        expect(new Set(given)).to.deep.equal(permissionsOf(record_type, role_fields[0]!));
      }
    expect(allowedPermissions('instance_group')).to.include('awx.use_instancegroup');
  });

  it('refuse permissions that no roles give by themselves, and say what else comes along', async () => {
    const refused = async (body: object) => {
      const answer = await service.post('role_definitions/', { name: `refused ${++made}`, ...body });
      expect(answer.status).to.equal(400);
      return answer.body;
    };
    const of = { content_type: 'awx.jobtemplate' };
    expect(
      (await refused({ ...of, permissions: ['awx.change_jobtemplate', 'awx.view_jobtemplate'] })).permissions[0],
    ).to.equal(
      'awx.change_jobtemplate is given together with awx.delete_jobtemplate, awx.execute_jobtemplate only: name these as well, or leave it out.',
    );
    expect((await refused({ ...of, permissions: ['awx.fly_jobtemplate'] })).permissions[0]).to.contain(
      'is no permission on',
    );
    for (const permissions of [[], ['awx.view_jobtemplate', 7], [null]])
      expect((await refused({ ...of, permissions })).permissions[0]).to.contain('Must be a list of names');
    expect((await refused({ ...of, permissions: 'all' })).permissions).to.have.lengthOf(1);
    const permissions = ['awx.view_jobtemplate'];
    for (const content_type of ['awx.executionenvironment', null, undefined, '', 'jobs'])
      expect(await refused({ content_type, permissions })).to.have.property('content_type');
    expect(await refused({ ...of, permissions, name: 'Inventory Use' })).to.deep.equal({
      name: ['Role definition with this Name already exists.'],
    });
  });

  it('are given and taken as the roles they are: both sides show the same', async () => {
    const [who, where, use] = [await person(), await inventory(), await managed('Inventory Use')];
    const body = { role_definition: use.id, object_id: String(where.id), user: who.id };
    const assignment = await create('role_user_assignments/', body);
    expect(assignment).to.deep.include({
      type: 'role_user_assignment',
      role_definition: use.id,
      content_type: 'awx.inventory',
      object_id: String(where.id),
      object_ansible_id: String(where.id),
      user: who.id,
      user_ansible_id: String(who.id),
    });
    expect(assignment.related.content_object).to.equal(where.url);
    expect(assignment.summary_fields.content_object).to.deep.equal({
      id: where.id,
      name: where.name,
      type: 'inventory',
    });
    expect(assignment.summary_fields.role_definition).to.include({ name: 'Inventory Use', managed: true });
    expect(assignment.summary_fields.created_by.username).to.equal('admin');
    expect(await rolesOf(who)).to.include('Use');
    expect(await mayUse(where, who)).to.equal(true);
    expect((await create('role_user_assignments/', body)).id).to.equal(assignment.id);
    const role = where.summary_fields.object_roles.use_role.id;
    await service.post(`roles/${role}/users/`, { id: who.id, disassociate: true });
    expect((await service.get(`role_user_assignments/${assignment.id}/`)).status).to.equal(404);
    await service.post(`roles/${role}/users/`, { id: who.id });
    const { body: found } = await service.get(
      `role_user_assignments/?role_definition=${use.id}&object_id=${where.id}&user=${who.id}`,
    );
    expect(found.count).to.equal(1);
    expect((await service.request('DELETE', found.results[0].url)).status).to.equal(204);
    expect(await mayUse(where, who)).to.equal(false);
    const stream = (await service.get('activity_stream/?object1=role&order_by=-id')).body.results;
    expect(stream[0]).to.deep.include({ operation: 'disassociate', object_association: 'role' });
  });

  it('of our own give several roles at once, and take only what nothing else gives', async () => {
    const [who, where] = [await person(), await inventory()];
    const both = await custom('awx.inventory', 'awx.view_inventory', 'awx.use_inventory', 'awx.update_inventory');
    const one = await custom('awx.inventory', 'awx.view_inventory', 'awx.use_inventory');
    const give = (role_definition: number) =>
      create('role_user_assignments/', { role_definition, object_id: where.id, user: who.id });
    const [first, second] = [await give(both.id), await give(one.id)];
    expect((await give(both.id)).id).to.equal(first.id);
    expect((await rolesOf(who)).toSorted()).to.deep.equal(['Member', 'Update', 'Use']);
    const count = async () => (await service.get(`role_user_assignments/?user=${who.id}`)).body.count;
    expect(await count()).to.equal(3);
    await service.request('DELETE', first.url);
    expect((await rolesOf(who)).toSorted()).to.deep.equal(['Member', 'Use']);
    await service.request('DELETE', second.url);
    expect(await rolesOf(who)).to.deep.equal(['Member']);
    expect(await count()).to.equal(1);
  });

  it('of our own leave what was given for itself, and end where a role is taken by another path', async () => {
    const [who, where] = [await person(), await inventory()];
    const both = await custom('awx.inventory', 'awx.view_inventory', 'awx.use_inventory', 'awx.update_inventory');
    const body = { role_definition: both.id, object_id: where.id, user: who.id };
    const roles = where.summary_fields.object_roles;
    await service.post(`roles/${roles.use_role.id}/users/`, { id: who.id });
    const first = await create('role_user_assignments/', body);
    await service.request('DELETE', first.url);
    expect((await rolesOf(who)).toSorted()).to.deep.equal(['Member', 'Use']);
    const second = await create('role_user_assignments/', body);
    await service.post(`roles/${roles.update_role.id}/users/`, { id: who.id, disassociate: true });
    expect((await service.get(second.url)).status).to.equal(404);
    const left = (await service.get(`role_user_assignments/?user=${who.id}&object_id=${where.id}`)).body.results;
    expect(left.map((one: any) => one.summary_fields.role_definition.name)).to.deep.equal(['Inventory Use']);
  });

  it('of our own change what those have who were given them, and go with it', async () => {
    const [who, where, many] = [await person(), await inventory(), await team()];
    const own = await custom('awx.inventory', 'awx.view_inventory', 'awx.use_inventory');
    await create('role_user_assignments/', { role_definition: own.id, object_id: where.id, user: who.id });
    await create('role_team_assignments/', { role_definition: own.id, object_id: where.id, team: many.id });
    const permissions = ['awx.view_inventory', 'awx.update_inventory'];
    const { body } = await service.request('PATCH', `role_definitions/${own.id}/`, { body: { permissions } });
    expect(body.permissions).to.deep.equal(permissions);
    const ofTeam = async () => (await service.get(`teams/${many.id}/roles/`)).body.results.map(({ name }: any) => name);
    expect([await rolesOf(who), await ofTeam()]).to.deep.equal([['Member', 'Update'], ['Update']]);
    expect((await service.get(`role_definitions/${own.id}/team_assignments/`)).body.count).to.equal(1);
    expect((await service.request('DELETE', `role_definitions/${own.id}/`)).status).to.equal(204);
    expect([await rolesOf(who), await ofTeam()]).to.deep.equal([['Member'], []]);
  });

  it('are refused where the role would be: without the right, for what is not seen, for impossible pairs', async () => {
    const [who, other, where, use] = [
      await person(),
      await person(),
      await inventory(),
      await managed('Inventory Use'),
    ];
    const post = (holder: string, body: object, auth?: string) =>
      service.post(`role_${holder}_assignments/`, body, auth ? { auth } : {});
    const body = { role_definition: use.id, object_id: where.id, user: other.id };
    expect((await post('user', body, who.auth)).status).to.equal(403);
    const own = await create('inventories/', { name: `own ${++made}`, organization: 1 });
    await service.post(`roles/${own.summary_fields.object_roles.admin_role.id}/users/`, { id: who.id });
    expect((await post('user', body, who.auth)).body).to.deep.equal({
      object_id: [`Invalid pk "${where.id}" - object does not exist.`],
    });
    expect((await post('user', { ...body, object_id: own.id }, who.auth)).status).to.equal(201);
    const wrong: [object, string][] = [
      [{ ...body, object_id: undefined }, 'object_id'],
      [{ ...body, object_ansible_id: where.id }, 'object_id'],
      [{ ...body, object_id: 'x\u0000' }, 'object_id'],
      [{ ...body, object_id: '99999999999999999999' }, 'object_id'],
      [{ ...body, object_id: 999_999 }, 'object_id'],
      [{ ...body, user: undefined }, 'user'],
      [{ ...body, user_ansible_id: other.id }, 'user'],
      [{ ...body, user: undefined, user_engine_id: '999999' }, 'user'],
      [{ ...body, role_definition: 999_999 }, 'role_definition'],
      [{ ...body, role_definition: (await managed('System Auditor')).id }, 'object_id'],
    ];
    for (const [one, field] of wrong) {
      const answer = await post('user', one);
      expect([answer.status, Object.keys(answer.body)], JSON.stringify(one)).to.deep.equal([400, [field]]);
    }
    const membership = {
      role_definition: (await managed('Organization Member')).id,
      object_id: 1,
      team: (await team()).id,
    };
    expect((await post('team', membership)).body.msg).to.contain('participation role');
  });

  it('of the whole system are for superusers to give, to users', async () => {
    const [who, auditor] = [await person(), await managed('System Auditor')];
    const given = await create('role_user_assignments/', { role_definition: auditor.id, user: who.id });
    expect(given).to.deep.include({ content_type: null, object_id: null });
    expect(given.related).not.to.have.property('content_object');
    expect((await service.get(`users/${who.id}/`)).body.is_system_auditor).to.equal(true);
    expect((await service.request('DELETE', given.url)).status).to.equal(204);
    expect((await service.get(`users/${who.id}/`)).body.is_system_auditor).to.equal(false);
  });

  it('are given once by two who ask at once', async () => {
    const [who, where] = [await person(), await inventory()];
    const own = await custom('awx.inventory', 'awx.view_inventory', 'awx.update_inventory');
    const ask = () => create('role_user_assignments/', { role_definition: own.id, object_id: where.id, user: who.id });
    const ids = (await Promise.all([ask(), ask(), ask()])).map(({ id }) => id);
    expect(new Set(ids).size).to.equal(1);
  });
});
