import { expect } from 'chai';
import { recountSmart } from '../../core/inventory/smart/count.ts';
import { contentsElsewhere, hostsForRun } from '../../core/inventory/host-ids.ts';
import { createHostLookup } from '../../core/runner/ingest/hosts.ts';
import { type Api, basic, startApi } from '../support/api.ts';
import { add, names, seedInventory } from './seed.ts';

describe('smart inventories', () => {
  let api: Api;
  let plain: any;
  let second: any;

  before(async () => {
    api = await startApi();
    plain = await seedInventory(api, 'plain');
    second = await add(api, '/api/v2/inventories/', { name: 'second', organization: plain.organization });
    for (const name of ['web1', 'web2', 'db1'])
      await add(api, `${plain.url}hosts/`, { name, enabled: name !== 'web2', variables: `who: ${name}` });
    await add(api, `${second.url}hosts/`, { name: 'web1', variables: 'who: another' });
    await add(api, `${second.url}hosts/`, { name: 'web9' });
    const foreign = await seedInventory(api, 'foreign');
    await add(api, `${foreign.url}hosts/`, { name: 'web7' });
  });
  after(() => api?.stop());

  let made = 0;
  const smart = (host_filter: string, more: object = {}) =>
    add(api, '/api/v2/inventories/', {
      name: `smart ${++made}`,
      organization: plain.organization,
      kind: 'smart',
      host_filter,
      ...more,
    });
  const hostsOf = async (url: string) => names(await api.admin('GET', `${url}hosts/`));

  it('hold the hosts of their organization that the filter finds, of one name the first', async () => {
    const { url, ...body } = await smart('name__startswith=web');
    expect(body).to.include({ kind: 'smart', host_filter: 'name__startswith=web', total_hosts: 3, total_groups: 0 });
    const { results } = (await api.admin('GET', `${url}hosts/`)).body;
    expect(results.map((host: any) => [host.name, host.inventory])).to.deep.equal([
      ['web1', plain.id],
      ['web2', plain.id],
      ['web9', second.id],
    ]);
    expect((await api.admin('GET', `${url}hosts/?name=web9`)).body.count).to.equal(1);
  });

  it('have no links to groups and sources', async () => {
    const { related } = await smart('name=web1');
    expect(related).not.to.have.any.keys('groups', 'root_groups', 'tree', 'inventory_sources');
    expect(related).to.include.keys('hosts', 'script', 'variable_data', 'copy');
  });

  it('follow changes of hosts at once, also in their counts', async () => {
    const { url } = await smart('name__startswith=new');
    expect(await hostsOf(url)).to.deep.equal([]);
    const host = await add(api, `${plain.url}hosts/`, { name: 'new1' });
    expect(await hostsOf(url)).to.deep.equal(['new1']);
    expect((await api.admin('GET', url)).body.total_hosts).to.equal(1);
    await api.admin('DELETE', host.url);
    expect((await api.admin('GET', url)).body.total_hosts).to.equal(0);
  });

  it('remember their counts for filters and order, anew every some minutes', async () => {
    const { url, name } = await smart('name__startswith=later');
    await add(api, `${plain.url}hosts/`, { name: 'later1' });
    await recountSmart(api.db, api.catalog);
    expect(names(await api.admin('GET', `/api/v2/inventories/?total_hosts=1&name=${name}`))).to.deep.equal([name]);
    const copy = await add(api, `${url}copy/`, { name: `${name} again` });
    expect(names(await api.admin('GET', `/api/v2/inventories/?total_hosts=1&id=${copy.id}`))).to.have.length(1);
    await api.admin('PATCH', url, { host_filter: 'name=nobody' });
    expect(names(await api.admin('GET', `/api/v2/inventories/?total_hosts=0&name=${name}`))).to.deep.equal([name]);
  });

  it('are read by the engine as one list of hosts', async () => {
    const { url } = await smart('name__startswith=web', { variables: 'all_of: them' });
    const script = async (query: string) => (await api.admin('GET', `${url}script/${query}`)).body;
    expect(await script('')).to.deep.equal({ all: { hosts: ['web1', 'web9'], vars: { all_of: 'them' } } });
    const { _meta, all } = await script('?hostvars=1&all=1');
    expect(all.hosts).to.deep.equal(['web1', 'web2', 'web9']);
    expect(_meta.hostvars.web1).to.deep.equal({ who: 'web1' });
    expect(await script('?host=web2&all=1')).to.deep.equal({ who: 'web2' });
    expect((await api.admin('GET', `${url}script/?host=db1`)).status).to.equal(404);
    expect((await script('?subset=slice2of2')).all.hosts).to.deep.equal(['web9']);
  });

  it('stand in the list of each of their hosts', async () => {
    const { name } = await smart('name=db1');
    const [host] = (await api.admin('GET', `${plain.url}hosts/?name=db1`)).body.results;
    expect(names(await api.admin('GET', host.related.smart_inventories))).to.deep.equal([name]);
    const [shadowed] = (await api.admin('GET', `${second.url}hosts/?name=web1`)).body.results;
    expect(names(await api.admin('GET', shadowed.related.smart_inventories))).to.deep.equal([]);
  });

  for (const [body, key] of [
    [{ host_filter: undefined }, 'host_filter'],
    [{ host_filter: '' }, 'host_filter'],
    [{ host_filter: 'name=' + 'x'.repeat(20_000) }, 'host_filter'],
    [{ host_filter: 'nosuch=1' }, 'host_filter'],
    [{ host_filter: 'name=(' }, 'host_filter'],
    [{ host_filter: 'created_by__username=admin' }, 'host_filter'],
    [{ host_filter: 5 }, 'host_filter'],
    [{ host_filter: 'name=a', kind: '' }, 'host_filter'],
  ] as const)
    it(`refuse ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const sent = { name: 'wrong', organization: plain.organization, kind: 'smart', ...body };
      const answer = await api.admin('POST', '/api/v2/inventories/', sent);
      expect(answer.status, answer.text).to.equal(400);
      expect(answer.body).to.have.all.keys(key);
    });

  it('keep their filter, which is stored without percent signs of addresses', async () => {
    const { url, host_filter } = await smart('name__startswith%3Dweb%20and%20enabled=true');
    expect(host_filter).to.equal('name__startswith=web and enabled=true');
    expect((await api.admin('PATCH', url, { host_filter: '' })).body).to.have.all.keys('host_filter');
    expect((await api.admin('PATCH', url, { description: 'x' })).body.host_filter).to.equal(host_filter);
  });

  it('take no hosts and groups, and lose none', async () => {
    const { url, id } = await smart('name=web1');
    const [host] = (await api.admin('GET', `${url}hosts/`)).body.results;
    const tries: [string, object][] = [
      [`${url}hosts/`, { name: 'x' }],
      [`${url}groups/`, { name: 'x' }],
      [`${url}root_groups/`, { name: 'x' }],
      [`${url}hosts/`, { id: host.id, disassociate: true }],
      ['/api/v2/hosts/', { name: 'x', inventory: id }],
      ['/api/v2/groups/', { name: 'x', inventory: id }],
    ];
    for (const [path, body] of tries) expect((await api.admin('POST', path, body)).status, path).to.equal(400);
    expect(await hostsOf(url)).to.deep.equal(['web1']);
  });

  it('show their hosts to whoever reads them, and are changed by who administers inventories there', async () => {
    const { url, summary_fields: summary } = await smart('name=web1');
    const { id } = await add(api, '/api/v2/users/', { username: 'granted', password: 'pw' });
    const grant = (role: { id: number }) => api.admin('POST', `/api/v2/users/${id}/roles/`, { id: role.id });
    await grant(summary.object_roles.admin_role);
    const user = api.as(basic('granted', 'pw'));
    expect(names(await user('GET', `${url}hosts/`))).to.deep.equal(['web1']);
    expect((await user('GET', '/api/v2/hosts/')).body.count).to.equal(0);
    expect((await user('PATCH', url, { description: 'mine' })).status).to.equal(200);
    expect((await user('PATCH', url, { host_filter: 'name=db1' })).status).to.equal(403);
    const organization = (await api.admin('GET', `/api/v2/organizations/${plain.organization}/`)).body;
    await grant(organization.summary_fields.object_roles.inventory_admin_role);
    expect((await user('PATCH', url, { host_filter: 'name=db1' })).status).to.equal(200);
  });

  it('tell a run whom its names stand for, whatever the filter finds later', async () => {
    const { id, url } = await smart('name__startswith=web');
    const [run] = await api.db('runs').insert({ kind: 'job', status: 'running', inventory_id: id }).returning('*');
    const inventory = await api.db('inventories').where({ id }).first();
    const deps = { db: api.db, catalog: api.catalog };
    const ids = await hostsForRun(deps, { ...run, inventory });
    expect(ids.contents).to.deep.equal(await contentsElsewhere(deps, inventory));
    await api.admin('PATCH', url, { host_filter: 'name=nobody' });
    const found = await createHostLookup(api.db, run)(['web1', 'web9', 'db1']);
    const [web1] = (await api.admin('GET', `${plain.url}hosts/?name=web1`)).body.results;
    expect([found.get('web1'), found.get('db1')]).to.deep.equal([web1.id, null]);
    await api.db('runs').where({ id: run.id }).delete();
    expect(await api.db('run_hosts')).to.deep.equal([]);
  });

  it('are copied with their filter', async () => {
    const { url } = await smart('name=db1');
    const copy = (await api.admin('POST', `${url}copy/`, { name: 'smart copy' })).body;
    expect(copy).to.include({ kind: 'smart', host_filter: 'name=db1', total_hosts: 1 });
  });
});
