import { expect } from 'chai';
import { removeInventory } from '../../core/inventory/deletion.ts';
import { quietBus } from '../support/runs.ts';
import { type Api, startApi } from '../support/api.ts';
import { add, names, seedInventory } from './seed.ts';

describe('inventories', () => {
  let api: Api;
  before(async () => void (api = await startApi()));
  after(() => api?.stop());

  it('are created with defaults, links and counts', async () => {
    const body = await seedInventory(api, 'plain', { kind: null, variables: '  a: 1\n' });
    expect(body).to.include({
      type: 'inventory',
      name: 'plain',
      kind: '',
      host_filter: null,
      variables: 'a: 1',
      total_hosts: 0,
      total_groups: 0,
      has_active_failures: false,
      hosts_with_active_failures: 0,
      has_inventory_sources: false,
      total_inventory_sources: 0,
      inventory_sources_with_failures: 0,
      pending_deletion: false,
      prevent_instance_group_fallback: false,
    });
    for (const key of ['hosts', 'groups', 'root_groups', 'variable_data', 'script', 'tree'])
      expect(body.related[key]).to.equal(`${body.url}${key}/`);
    expect(body.summary_fields.organization.name).to.equal('Org of plain');
  });

  it('count their hosts and groups', async () => {
    const { url } = await seedInventory(api, 'counted');
    await add(api, `${url}hosts/`, { name: 'h1' });
    await add(api, `${url}hosts/`, { name: 'h2' });
    await add(api, `${url}groups/`, { name: 'g1' });
    expect((await api.admin('GET', url)).body).to.include({ total_hosts: 2, total_groups: 1 });
    expect(names(await api.admin('GET', '/api/v2/inventories/?total_hosts=2'))).to.deep.equal(['counted']);
  });

  for (const organization of [undefined, null]) {
    it(`need an organization, not ${organization}`, async () => {
      const { status, body } = await api.admin('POST', '/api/v2/inventories/', { name: 'x', organization });
      expect(status).to.equal(400);
      expect(body).to.have.all.keys('organization');
    });
  }

  it('keep their kind', async () => {
    const { url } = await seedInventory(api, 'kind');
    expect((await api.admin('PATCH', url, { kind: '' })).status).to.equal(200);
    const { status, body } = await api.admin('PATCH', url, { kind: 'smart' });
    expect(status).to.equal(405);
    expect(body).to.have.all.keys('error');
  });

  it('say "already exists" for a second of that name in the organization', async () => {
    const { name, organization } = await seedInventory(api, 'twice');
    const { status, body } = await api.admin('POST', '/api/v2/inventories/', { name, organization });
    expect(status).to.equal(400);
    expect(body.__all__[0]).to.include('already exists');
  });

  for (const variables of [
    '[1, 2]',
    'just text',
    '{',
    'a: b: c',
    { a: 1 },
    ['x'],
    `{"a":${'{"a":'.repeat(200)}1${'}'.repeat(201)}`,
    'a: [*x]',
    5,
  ]) {
    it(`refuse the variables ${JSON.stringify(variables).slice(0, 40)}`, async () => {
      const { url } = await seedInventory(api, `bad ${Math.random()}`);
      const { status, body } = await api.admin('PATCH', url, { variables });
      expect(status).to.equal(400);
      expect(body).to.have.all.keys('variables');
    });
  }

  it('give and take their variables as a mapping, which PATCH replaces too', async () => {
    const { url } = await seedInventory(api, 'mapping', { variables: 'yes_it_is: yes\nport: 0755\n' });
    const path = `${url}variable_data/`;
    expect((await api.admin('GET', path)).body).to.deep.equal({ yes_it_is: true, port: 493 });
    expect((await api.admin('PATCH', path, { b: { c: [1] } })).body).to.deep.equal({ b: { c: [1] } });
    expect((await api.admin('GET', url)).body.variables).to.equal('{"b":{"c":[1]}}');
    expect((await api.admin('PUT', path, {})).body).to.deep.equal({});
    expect((await api.admin('DELETE', path)).status).to.equal(405);
  });

  it('are copied with hosts, groups and who is in which', async () => {
    const seeded = await seedInventory(api, 'original', { variables: 'a: 1' });
    const { url, id, organization } = (await api.admin('GET', seeded.url)).body;
    const make = async (path: string, body: object) => (await api.admin('POST', `/api/v2/${path}/`, body)).body;
    const list = async (path: string, key: string) =>
      (await api.admin('GET', path)).body.results.map((one: any) => one[key]);
    const host = await make('hosts', { name: 'h', inventory: id, variables: 'b: 2', enabled: false });
    const parent = await make('groups', { name: 'p', inventory: id });
    const child = await make('groups', { name: 'c', inventory: id });
    await api.admin('POST', `${parent.url}children/`, { id: child.id });
    await api.admin('POST', `${child.url}hosts/`, { id: host.id });
    const [group] = await api.db('instance_groups').insert({ name: 'copied along' }).returning('id');
    await api.admin('POST', `${url}instance_groups/`, { id: group.id });
    expect((await api.admin('GET', `${url}copy/`)).body).to.deep.equal({ can_copy: true });
    const copy = await api.admin('POST', `${url}copy/`, { name: 'a copy' });
    expect(copy.status, copy.text).to.equal(201);
    expect(copy.headers.get('location')).to.equal(copy.body.url);
    expect(copy.body).to.include({ name: 'a copy', organization, variables: 'a: 1', total_hosts: 1, total_groups: 2 });
    const [twin] = (await api.admin('GET', `${copy.body.url}hosts/`)).body.results;
    expect(twin).to.include({ name: 'h', variables: 'b: 2', enabled: false });
    expect(twin.id).not.to.equal(host.id);
    const script = async (path: string) => (await api.admin('GET', `${path}script/?hostvars=1&all=1`)).body;
    expect(await script(copy.body.url)).to.deep.equal(await script(url));
    expect(await list(`${copy.body.url}root_groups/`, 'name')).to.deep.equal(['p']);
    expect(await list(`${copy.body.url}instance_groups/`, 'id')).to.deep.equal([group.id]);
    for (const [name, key] of [
      ['a copy', '__all__'],
      ['original', '__all__'],
      ['', 'name'],
      [undefined, 'name'],
    ])
      expect((await api.admin('POST', `${url}copy/`, { name })).body, String(name)).to.have.all.keys(key!);
  });

  it('tell the activity stream of variables written as a mapping', async () => {
    const { url, id } = await seedInventory(api, 'told', { variables: 'a: 1' });
    await api.admin('PATCH', `${url}variable_data/`, { b: 2 });
    const { results } = (await api.admin('GET', `${url}activity_stream/?operation=update`)).body;
    expect(results.map(({ changes }: any) => changes)).to.deep.equal([{ variables: ['a: 1', '{"b":2}'] }]);
    const hosts = (await api.admin('POST', '/api/v2/hosts/', { name: 'told', inventory: id })).body;
    await api.admin('PUT', `${hosts.url}variable_data/`, { c: 3 });
    const [newest] = (await api.admin('GET', '/api/v2/activity_stream/?order_by=-id')).body.results;
    expect(newest).to.deep.include({ object1: 'host', changes: { variables: ['', '{"c":3}'] } });
  });

  describe('being deleted', () => {
    let gone: any;
    const remove = () => removeInventory({ db: api.db, bus: quietBus }, gone.id);

    before(async () => {
      gone = await seedInventory(api, 'gone');
      for (const name of ['h1', 'h2']) await add(api, `${gone.url}hosts/`, { name });
      await add(api, `${gone.url}groups/`, { name: 'g' });
      await api.db('templates').insert({ kind: 'job_template', name: 'left behind', inventory_id: gone.id });
      const source = { kind: 'inventory_source', source: 'scm', name: 'goes along', inventory_id: gone.id };
      await api.db('templates').insert(source);
      const { status, text } = await api.admin('DELETE', gone.url);
      expect([status, text]).to.deep.equal([202, '']);
    });

    it('are there until a task has removed them, and say so', async () => {
      expect((await api.admin('GET', gone.url)).body).to.include({ pending_deletion: true, total_hosts: 2 });
      expect(names(await api.admin('GET', '/api/v2/inventories/?pending_deletion=true&name=gone'))).to.deep.equal([
        'gone',
      ]);
      expect((await api.db('templates').where({ name: 'left behind' }).first()).inventory_id).to.equal(null);
    });

    it('refuse whatever would change them', async () => {
      const [host] = (await api.admin('GET', `${gone.url}hosts/`)).body.results;
      const tries: [string, string, object?][] = [
        ['DELETE', gone.url],
        ['PATCH', gone.url, { description: 'x' }],
        ['POST', `${gone.url}copy/`, { name: 'copy of gone' }],
        ['POST', `${gone.url}hosts/`, { name: 'h3' }],
        ['POST', '/api/v2/hosts/', { name: 'h3', inventory: gone.id }],
        ['POST', '/api/v2/bulk/host_create/', { hosts: [{ name: 'h3' }], inventory: gone.id }],
        ['POST', '/api/v2/bulk/host_delete/', { hosts: [host.id] }],
        ['DELETE', host.url],
      ];
      for (const [method, path, body] of tries)
        expect((await api.admin(method, path, body)).status, `${method} ${path}`).to.equal(400);
    });

    it('are told of once in the activity stream, with what goes along', async () => {
      const { results } = (await api.admin('GET', '/api/v2/activity_stream/?operation=delete&object1=inventory')).body;
      const [entry] = results.filter(({ changes }: any) => changes.name === 'gone');
      expect(entry.changes.coalesced_data).to.deep.equal({ hosts_deleted: 2, groups_deleted: 1 });
    });

    it('are gone with hosts and groups when the task is done, which may begin anew', async () => {
      await api.db('hosts').where({ inventory_id: gone.id, name: 'h1' }).delete();
      await remove();
      expect((await api.admin('GET', gone.url)).status).to.equal(404);
      expect(await api.db('hosts').where({ inventory_id: gone.id })).to.have.length(0);
      expect(await api.db('templates').where({ name: 'goes along' })).to.deep.equal([]);
      await remove();
    });

    it('are left alone by a task while they are to stay', async () => {
      gone = await seedInventory(api, 'stays');
      await remove();
      expect((await api.admin('GET', gone.url)).status).to.equal(200);
    });
  });

  it('stay while jobs run on them', async () => {
    const { url, id } = await seedInventory(api, 'busy');
    const [run] = await api.db('runs').insert({ kind: 'job', status: 'running', inventory_id: id }).returning('id');
    const { status, body } = await api.admin('DELETE', url);
    expect(status).to.equal(409);
    expect(body.active_jobs).to.deep.equal([{ id: run.id, type: 'job' }]);
    await api.db('runs').where(run).update({ status: 'successful' });
    expect((await api.admin('DELETE', url)).status).to.equal(202);
  });

  it('are for superusers to change and auditors to read, until roles come', async () => {
    const { url } = await seedInventory(api, 'private');
    const made = async (username: string, extra: object) => {
      await add(api, '/api/v2/users/', { username, password: 'pw', ...extra });
      return api.as(`Basic ${Buffer.from(`${username}:pw`).toString('base64')}`);
    };
    const auditor = await made('auditor', { is_system_auditor: true });
    const nobody = await made('nobody', {});
    expect((await auditor('GET', url)).status).to.equal(200);
    expect((await auditor('GET', `${url}script/`)).status).to.equal(200);
    expect((await auditor('PATCH', `${url}variable_data/`, {})).status).to.equal(403);
    expect((await auditor('DELETE', url)).status).to.equal(403);
    for (const path of ['', 'script/', 'variable_data/', 'hosts/', 'tree/'])
      expect((await nobody('GET', url + path)).status, path).to.equal(404);
    expect((await nobody('GET', '/api/v2/inventories/')).body.count).to.equal(0);
    expect((await nobody('POST', '/api/v2/inventories/', { name: 'n', organization: 1 })).status).to.equal(403);
  });
});
