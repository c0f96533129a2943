import { expect } from 'chai';
import { type Api, basic, startApi } from '../support/api.ts';

describe('nodes of instance groups', () => {
  let api: Api;
  before(async () => {
    api = await startApi();
    for (const name of ['a', 'b', 'c', 'd'])
      await api
        .db('instances')
        .insert({ hostname: name, uuid: crypto.randomUUID(), last_seen: api.db.raw("now() + interval '1 hour'") });
    await api.db('instances').insert({ hostname: 'web', uuid: crypto.randomUUID(), node_type: 'control' });
  });
  after(() => api.stop());

  const group = async (name: string, body: object = {}) => {
    const answer = await api.admin('POST', '/api/v2/instance_groups/', { name, ...body });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.id as number;
  };
  const change = (id: number, body: object) => api.admin('PATCH', `/api/v2/instance_groups/${id}/`, body);
  const nodes = async (id: number): Promise<string[]> =>
    (await api.admin('GET', `/api/v2/instance_groups/${id}/instances/?order_by=hostname`)).body.results.map(
      ({ hostname }: any) => hostname,
    );
  const node = async (hostname: string) => (await api.db('instances').where({ hostname }).first('id')).id as number;

  it('are as many as the group asks for by number or percentage, the least busy first, and no more', async () => {
    const first = await group('first', { policy_instance_minimum: 2 });
    expect(await nodes(first)).to.deep.equal(['a', 'b']);
    const second = await group('second', { policy_instance_percentage: 50 });
    expect(await nodes(second)).to.deep.equal(['c', 'd']);
    await change(first, { policy_instance_minimum: 3 });
    expect(await nodes(first)).to.have.length(3);
    await change(first, { policy_instance_minimum: 0 });
    expect(await nodes(first)).to.deep.equal([]);
    await change(second, { policy_instance_percentage: 100 });
    await api.admin('PATCH', `/api/v2/instances/${await node('d')}/`, { managed_by_policy: false });
    expect(await nodes(second)).to.deep.equal(['a', 'b', 'c']);
    await api.admin('PATCH', `/api/v2/instances/${await node('d')}/`, { managed_by_policy: true });
    expect(await nodes(second)).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('are those that it names, and who is put there by hand is named', async () => {
    const id = await group('named', { policy_instance_list: ['b'] });
    expect(await nodes(id)).to.deep.equal(['b']);
    const path = `/api/v2/instance_groups/${id}/instances/`;
    expect((await api.admin('POST', path, { id: await node('a') })).status).to.equal(204);
    expect((await change(id, { max_forks: 7 })).body.policy_instance_list).to.deep.equal(['b', 'a']);
    expect((await api.admin('POST', path, { id: await node('b'), disassociate: true })).status).to.equal(204);
    await change(id, { max_forks: 8 });
    expect(await nodes(id)).to.deep.equal(['a']);
    expect((await api.admin('POST', path, { id: await node('web') })).body.msg).to.match(/carries out nothing/);
  });

  it('are asked for in ways that make sense', async () => {
    const problem = async (body: object) =>
      Object.keys((await api.admin('POST', '/api/v2/instance_groups/', { name: 'x', ...body })).body);
    expect(await problem({ policy_instance_list: ['nobody'] })).to.deep.equal(['policy_instance_list']);
    expect(await problem({ policy_instance_list: ['a', 'a'] })).to.deep.equal(['policy_instance_list']);
    expect(await problem({ policy_instance_list: [7] })).to.deep.equal(['policy_instance_list']);
    expect(await problem({ is_container_group: true, policy_instance_minimum: 1 })).to.deep.equal([
      'policy_instance_minimum',
    ]);
    const { id } = await api.db('instance_groups').where({ name: 'default' }).first('id');
    expect((await change(id, { name: 'other' })).body).to.have.property('name');
  });

  it('take a credential of a cluster, of those that the caller may use, for containers only', async () => {
    const types = await api.db('credential_types').whereIn('namespace', ['ssh', 'kubernetes_bearer_token']);
    const organization = (await api.admin('POST', '/api/v2/organizations/', { name: 'keeping' })).body.id;
    const credential = async (namespace: string): Promise<number> => {
      const { id: type } = types.find((one) => one.namespace === namespace);
      const body = { name: namespace, credential_type: type, organization };
      return (await api.admin('POST', '/api/v2/credentials/', body)).body.id;
    };
    const [machine, cluster] = [await credential('ssh'), await credential('kubernetes_bearer_token')];
    const [pods, nodes] = [await group('pods', { is_container_group: true }), await group('no pods')];
    expect((await change(pods, { credential: machine })).body).to.have.all.keys('credential');
    expect((await change(nodes, { credential: cluster })).body).to.have.all.keys('credential');
    // what was stored before it was judged stays, until somebody changes it
    await api.db('instance_groups').where({ id: nodes }).update({ credential_id: machine });
    expect((await change(nodes, { policy_instance_minimum: 1 })).body).to.include({ policy_instance_minimum: 1 });
    expect((await change(nodes, { credential: cluster })).body).to.have.all.keys('credential');
    const { object_roles: roles } = (await api.admin('GET', `/api/v2/instance_groups/${pods}/`)).body.summary_fields;
    const person = { username: 'keeper', password: 'keeper-password-1' };
    const { id: user } = (await api.admin('POST', '/api/v2/users/', person)).body;
    await api.admin('POST', `/api/v2/users/${user}/roles/`, { id: roles.admin_role.id });
    const keeper = api.as(basic(person.username, person.password));
    const given = () => keeper('PATCH', `/api/v2/instance_groups/${pods}/`, { credential: cluster });
    expect((await given()).body).to.have.all.keys('credential');
    const shown = (await api.admin('GET', `/api/v2/credentials/${cluster}/`)).body.summary_fields.object_roles;
    await api.admin('POST', `/api/v2/organizations/${organization}/users/`, { id: user });
    const read = await api.admin('POST', `/api/v2/users/${user}/roles/`, { id: shown.read_role.id });
    expect(read.status, read.text).to.equal(204);
    expect((await given()).status).to.equal(403);
    expect((await change(pods, { credential: cluster })).body.credential).to.equal(cluster);
  });

  it('enter themselves: nobody enters one by hand', async () => {
    const { status, body } = await api.admin('POST', '/api/v2/instances/', { hostname: 'by-hand', node_type: 'hop' });
    expect([status, body]).to.deep.equal([
      400,
      { __all__: ['A node enters itself when it is started (README, "Scaling out"), and in no other way.'] },
    ]);
    expect(await api.db('instances').where({ hostname: 'by-hand' })).to.deep.equal([]);
    const { POST } = (await api.admin('OPTIONS', '/api/v2/instances/')).body.actions;
    expect(POST.hostname).to.include({ required: true });
  });

  it('tell how they are', async () => {
    const path = `/api/v2/instances/${await node('a')}/`;
    const { body } = await api.admin('GET', `${path}health_check/`);
    expect(body).to.include({ hostname: 'a', last_health_check: null, errors: '' });
    const checked = await api.admin('POST', `${path}health_check/`);
    expect([checked.status, checked.body.msg]).to.deep.equal([200, 'Health check of a: it lives.']);
    expect((await api.admin('GET', path)).body.last_health_check).to.be.a('string');
    expect((await api.admin('GET', `${path}peers/`)).body.count).to.equal(0);
    const bundle = await api.admin('GET', `${path}install_bundle/`);
    expect([bundle.status, bundle.body.msg]).to.deep.equal([
      400,
      'a is a hybrid node, which installs itself: only execution and hop nodes have a bundle.',
    ]);
  });
});
