import { expect } from 'chai';
import { type Api, basic, type Client, startApi } from '../support/api.ts';
import { add, names, seedInventory } from './seed.ts';

const create = '/api/v2/bulk/host_create/';
const remove = '/api/v2/bulk/host_delete/';

describe('many hosts at once', () => {
  let api: Api;
  let inventory: any;
  let stranger: Client;
  let reader: Client;

  before(async () => {
    api = await startApi({ BULK_HOST_MAX_CREATE: '20', BULK_HOST_MAX_DELETE: '10' });
    inventory = await seedInventory(api, 'bulk');
    const made = async (username: string) => {
      const { id } = await add(api, '/api/v2/users/', { username, password: 'pw' });
      return { id, client: api.as(basic(username, 'pw')) };
    };
    stranger = (await made('stranger')).client;
    const { id, client } = await made('reader');
    reader = client;
    const { read_role: role } = (await api.admin('GET', inventory.url)).body.summary_fields.object_roles;
    await api.admin('POST', `/api/v2/users/${id}/roles/`, { id: role.id });
  });
  after(() => api?.stop());

  const post = (path: string, body: object, as: Client = api.admin) => as('POST', path, body);
  const numbered = (name: string, count: number) => Array.from({ length: count }, (_, n) => ({ name: `${name}${n}` }));
  const count = async () => (await api.admin('GET', inventory.url)).body.total_hosts;

  it('tell what there is', async () => {
    expect((await api.admin('GET', '/api/v2/')).body.bulk).to.equal('/api/v2/bulk/');
    expect((await api.admin('GET', '/api/v2/bulk/')).body).to.deep.equal({
      host_create: create,
      host_delete: remove,
      job_launch: '/api/v2/bulk/job_launch/',
    });
    for (const path of [create, remove]) {
      expect((await api.admin('GET', path)).body).to.have.all.keys('detail');
      expect((await api.admin('OPTIONS', path)).body.actions.POST).to.have.property('hosts');
    }
  });

  it('are made, answered and told of', async () => {
    const hosts = [
      { name: 'one', description: 'first', variables: '{"a": 1}' },
      { name: 'two:2222', enabled: false, instance_id: 'i-2' },
    ];
    const { status, body } = await post(create, { inventory: inventory.id, hosts });
    expect(status).to.equal(201);
    expect(body.url).to.equal(inventory.url);
    expect(body.hosts[0]).to.deep.equal({
      id: body.hosts[0].id,
      name: 'one',
      enabled: true,
      instance_id: '',
      description: 'first',
      variables: '{"a": 1}',
      url: `/api/v2/hosts/${body.hosts[0].id}/`,
      inventory: inventory.url,
    });
    expect(body.hosts[1]).to.include({ name: 'two', enabled: false, instance_id: 'i-2' });
    expect(body.hosts[1].variables).to.include('2222');
    const told = (await api.admin('GET', `${body.hosts[0].url}activity_stream/`)).body.results;
    expect(told.map((entry: any) => [entry.operation, entry.changes.name, entry.changes.inventory])).to.deep.equal([
      ['create', 'one', `bulk-${inventory.id}`],
    ]);
  });

  it('are made all or none, each told what is wrong with it', async () => {
    const before = await count();
    const hosts = [
      { name: 'good' },
      { name: '' },
      {},
      5,
      { name: 'x', variables: '{' },
      { name: '{{ x }}' },
      { name: 'h:99999' },
      { name: 'y', enabled: 'perhaps' },
    ];
    const { status, body } = await post(create, { inventory: inventory.id, hosts });
    expect(status).to.equal(400);
    expect(body.hosts.map((errors: object) => Object.keys(errors).join())).to.deep.equal([
      '',
      'name',
      'name',
      'non_field_errors',
      'variables',
      'name',
      'name',
      'enabled',
    ]);
    expect(await count()).to.equal(before);
  });

  it('need names of their own, among themselves and in the inventory', async () => {
    await add(api, `${inventory.url}groups/`, { name: 'a group' });
    await add(api, `${inventory.url}hosts/`, { name: 'a host' });
    for (const taken of ['a group', 'a host', 'new']) {
      const { status, body } = await post(create, {
        inventory: inventory.id,
        hosts: [{ name: 'new' }, { name: taken === 'new' ? 'new:22' : taken }],
      });
      expect(status, taken).to.equal(400);
      expect(body.__all__[0]).to.include(taken);
    }
  });

  for (const [what, body, key] of [
    ['no inventory', { hosts: [{ name: 'x' }] }, 'inventory'],
    ['an inventory that is not there', { inventory: 999_999, hosts: [{ name: 'x' }] }, 'inventory'],
    ['hosts that are no list', { hosts: { name: 'x' } }, 'hosts'],
    ['no hosts', { hosts: [] }, 'hosts'],
    ['a character that cannot be stored', { hosts: [{ name: 'a\0' }] }, 'hosts'],
    ['too many', { hosts: numbered('many', 21) }, '__all__'],
  ] as const)
    it(`are refused with ${what}`, async () => {
      const sent = what.includes('inventory') ? body : { inventory: inventory.id, ...body };
      const answer = await post(create, sent);
      expect(answer.status, answer.text).to.equal(400);
      expect(answer.body).to.have.all.keys(key);
    });

  it('are made by who administers the inventory, the others being told 400', async () => {
    const sent = { inventory: inventory.id, hosts: [{ name: 'forbidden' }] };
    expect((await post(create, sent, reader)).body).to.have.all.keys('__all__');
    expect((await post(create, sent, stranger)).body).to.have.all.keys('inventory');
  });

  it('are not made in smart inventories', async () => {
    const sent = { name: 'smart', organization: inventory.organization, kind: 'smart', host_filter: 'name=x' };
    const { id } = await add(api, '/api/v2/inventories/', sent);
    const { status, body } = await post(create, { inventory: id, hosts: [{ name: 'x' }] });
    expect([status, Object.keys(body)]).to.deep.equal([400, ['__all__']]);
  });

  it('are made once by two who ask at the same time', async () => {
    const sent = { inventory: inventory.id, hosts: numbered('race', 20) };
    const turned = { ...sent, hosts: sent.hosts.toReversed() };
    const answers = await Promise.all([post(create, sent), post(create, turned), post(create, sent)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([201, 400, 400]);
  });

  it('are deleted all or none', async () => {
    const made = (await post(create, { inventory: inventory.id, hosts: numbered('gone', 5) })).body.hosts;
    const ids: number[] = made.map(({ id }: any) => id);
    const unknown = await post(remove, { hosts: [...ids, 999_999] });
    expect([unknown.status, unknown.body]).to.deep.equal([400, { hosts: { 999_999: 'Host 999999 does not exist.' } }]);
    const foreign = await post(remove, { hosts: ids }, reader);
    expect(foreign.status).to.equal(403);
    expect(Object.keys(foreign.body.inventories)).to.deep.equal(['bulk']);
    expect((await post(remove, { hosts: ids }, stranger)).status).to.equal(400);
    const { status, body } = await post(remove, { hosts: [...ids, ids[0]] });
    expect(status).to.equal(201);
    expect(Object.keys(body.hosts).map(Number)).to.deep.equal(ids);
    expect(names(await api.admin('GET', `${inventory.url}hosts/?name__startswith=gone`))).to.deep.equal([]);
  });

  for (const hosts of [[], ['1'], [1.5], [-1], [null], [1e300], 'x'])
    it(`are not deleted by ${JSON.stringify(hosts)}`, async () => {
      const { status, body } = await post(remove, { hosts });
      expect([status, Object.keys(body)]).to.deep.equal([400, ['hosts']]);
    });

  it('are not deleted where there are too many, or jobs run on them', async () => {
    const many = await post(remove, { hosts: Array.from({ length: 11 }, (_, n) => n + 1) });
    expect([many.status, many.body]).to.deep.equal([
      400,
      {
        ERROR: ['Number of hosts exceeds system setting BULK_HOST_MAX_DELETE'],
        BULK_HOST_MAX_DELETE: ['10'],
        Hosts_count: ['11'],
      },
    ]);
    const busy = await add(api, `${inventory.url}hosts/`, { name: 'busy' });
    const run = { kind: 'job', status: 'running', inventory_id: inventory.id };
    const [{ id }] = await api.db('runs').insert(run).returning('id');
    expect((await post(remove, { hosts: [busy.id] })).status).to.equal(409);
    await api.db('runs').where({ id }).delete();
  });

  describe('and the limit of an organization', () => {
    let first: any;
    let second: any;

    before(async () => {
      first = await seedInventory(api, 'limited');
      second = await add(api, '/api/v2/inventories/', { name: 'limited too', organization: first.organization });
      await api.admin('PATCH', `/api/v2/organizations/${first.organization}/`, { max_hosts: 3 });
      await add(api, `${first.url}hosts/`, { name: 'a' });
      await add(api, `${second.url}hosts/`, { name: 'b' });
    });

    it('counts each name once', async () => {
      await add(api, `${second.url}hosts/`, { name: 'a' });
      await add(api, `${first.url}hosts/`, { name: 'c' });
    });

    it('is held by every way in', async () => {
      const group = await add(api, `${first.url}groups/`, { name: 'g' });
      const spare = await add(api, '/api/v2/inventories/', { name: 'spare', organization: inventory.organization });
      await add(api, `${spare.url}hosts/`, { name: 'moved' });
      const made = { name: 'made', organization: inventory.organization, kind: 'constructed' };
      const constructed = await add(api, '/api/v2/inventories/', made);
      await api.db('hosts').insert({ name: 'shadow', inventory_id: constructed.id });
      const host = (await api.admin('GET', `${second.url}hosts/?name=a`)).body.results[0];
      const ways: [string, string, object][] = [
        ['POST', '/api/v2/hosts/', { name: 'd', inventory: first.id }],
        ['POST', `${first.url}hosts/`, { name: 'd' }],
        ['POST', `${group.url}hosts/`, { name: 'd' }],
        ['POST', create, { inventory: first.id, hosts: [{ name: 'd' }] }],
        ['PATCH', host.url, { name: 'd' }],
        ['PATCH', spare.url, { organization: first.organization }],
        ['PATCH', constructed.url, { organization: first.organization }],
        ['PATCH', constructed.related.constructed_url, { organization: first.organization }],
      ];
      for (const [method, path, body] of ways) {
        const answer = await api.admin(method, path, body);
        expect([answer.status, Object.keys(answer.body)], `${method} ${path}`).to.deep.equal([403, ['detail']]);
      }
      expect((await api.admin('POST', `${first.url}copy/`, { name: 'copied' })).status).to.equal(201);
    });

    it('leaves what is there alone when it is lowered', async () => {
      await api.admin('PATCH', `/api/v2/organizations/${first.organization}/`, { max_hosts: 1 });
      const host = (await api.admin('GET', `${second.url}hosts/?name=a`)).body.results[0];
      expect((await api.admin('PATCH', host.url, { enabled: false })).status).to.equal(200);
      await add(api, `${second.url}hosts/`, { name: 'c' });
      expect((await api.admin('POST', `${second.url}hosts/`, { name: 'd' })).status).to.equal(403);
    });

    it('is not passed by two at once', async () => {
      await api.admin('PATCH', `/api/v2/organizations/${first.organization}/`, { max_hosts: 4 });
      const answers = await Promise.all(
        ['x', 'y', 'z'].map((name) => api.admin('POST', `${first.url}hosts/`, { name })),
      );
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([201, 403, 403]);
    });
  });
});
