import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { type Api, basic, startApi } from '../support/api.ts';
import { add, names, seedInventory } from './seed.ts';

export async function giveFacts(api: Api, host: number, document: object): Promise<void> {
  const text = JSON.stringify(document);
  const hash = createHash('sha256').update(text).digest('hex');
  await api.db.raw('insert into facts (hash, document) values (?, ?::jsonb) on conflict do nothing', [hash, text]);
  await api.db('host_facts').insert({ host_id: host, hash });
}

describe('host_filter', () => {
  let api: Api;
  let inventory: any;
  let other: any;

  before(async () => {
    api = await startApi();
    inventory = await seedInventory(api, 'filtered');
    other = await seedInventory(api, 'other');
    const host = (name: string, more: object = {}) => add(api, `${inventory.url}hosts/`, { name, ...more });
    const [web1, web2, db1] = [
      await host('web1', { description: 'front end' }),
      await host('web2', { enabled: false, instance_id: 'i 2' }),
      await host('db1', { description: 'back end' }),
    ];
    await add(api, `${other.url}hosts/`, { name: 'web1' });
    const web = await add(api, `${inventory.url}groups/`, { name: 'web servers' });
    const blue = await add(api, `${inventory.url}groups/`, { name: 'blue' });
    for (const { id } of [web1, web2]) await api.admin('POST', `${web.url}hosts/`, { id });
    await api.admin('POST', `${blue.url}hosts/`, { id: web1.id });
    const mounts = [
      { mount: '/', size: 10 },
      { mount: '/var', size: 20 },
    ];
    await giveFacts(api, web1.id, {
      ansible_os_family: 'Debian',
      ansible_processor_vcpus: 4,
      ansible_lvm: { vgs: { main: { free: '1.5' } } },
      ansible_mounts: mounts,
      ansible_all_ipv4_addresses: ['10.0.0.1', '10.0.0.2'],
      ansible_fips: false,
      ansible_nothing: null,
    });
    await giveFacts(api, db1.id, { ansible_os_family: 'RedHat', ansible_processor_vcpus: '4', ansible_fips: true });
  });
  after(() => api?.stop());

  const ask = (filter: string, query = `inventory=${inventory.id}`) =>
    api.admin('GET', `/api/v2/hosts/?${query}&host_filter=${encodeURIComponent(filter)}`);

  for (const [filter, expected] of [
    ['name=web1', ['web1']],
    ['name__icontains=WEB', ['web1', 'web2']],
    ['name__startswith=web and enabled=true', ['web1']],
    ['name=db1 or name=web2', ['db1', 'web2']],
    ['name=db1 or name__startswith=web and enabled=false', ['db1', 'web2']],
    ['(name=db1 or name__startswith=web) and enabled=false', ['web2']],
    ['not name=db1', ['web1', 'web2']],
    ['not (name=db1 or enabled=false)', ['web1']],
    ['not__name=db1', ['web1', 'web2']],
    ['groups__name="web servers"', ['web1', 'web2']],
    ['groups__name="web servers" and groups__name=blue', ['web1']],
    ['not groups__name=blue', ['db1', 'web2']],
    ['groups__isnull=true', ['db1']],
    ['instance_id="i 2"', ['web2']],
    ['description=', ['web2']],
    ['search=end', ['db1', 'web1']],
    ['search="front end"', ['web1']],
    ['not search="front end"', ['db1', 'web2']],
    ['groups__search=servers', ['web1', 'web2']],
    ['inventory__name=filtered', ['db1', 'web1', 'web2']],
    ['last_job=null and name__in=web1,db1', ['db1', 'web1']],
    ['ansible_facts__ansible_os_family=Debian', ['web1']],
    ['engine_facts__ansible_os_family=Debian', ['web1']],
    ['not ansible_facts__ansible_os_family=Debian', ['db1', 'web2']],
    ['ansible_facts__ansible_os_family__exact="RedHat"', ['db1']],
    ['ansible_facts__ansible_processor_vcpus=4', ['web1']],
    ['ansible_facts__ansible_processor_vcpus="4"', ['db1']],
    ['ansible_facts__ansible_lvm__vgs__main__free="1.5"', ['web1']],
    ['ansible_facts__ansible_mounts[]__mount="/var"', ['web1']],
    ['ansible_facts__ansible_mounts[]__size=30', []],
    ['ansible_facts__ansible_all_ipv4_addresses[]="10.0.0.2"', ['web1']],
    ['ansible_facts__ansible_fips=true', ['db1']],
    ['ansible_facts__ansible_nothing=null', ['web1']],
    ['ansible_facts__ansible_os_family=Debian or groups__name=nobody or name=db1', ['db1', 'web1']],
    ["name=x'; drop table hosts; --", []],
  ] as const)
    it(`finds by ${filter}`, async () => {
      const answer = await ask(filter.includes(';') ? `name="${filter.slice(5)}"` : filter);
      expect(answer.status, answer.text).to.equal(200);
      expect(names(answer)).to.deep.equal(expected);
      expect(answer.body.count).to.equal(expected.length);
    });

  for (const [filter, what] of [
    ['nosuch=1', /host_filter: at character 1, nosuch: .*nosuch/],
    ['name=a and groups__nosuch=1', /at character 12, groups__nosuch/],
    ['enabled=maybe', /at character 1, enabled: .*not a boolean/],
    ['id=x', /expected a number/],
    ['name__regex=a', /regular expressions are not supported/],
    ['or__name=a', /or__ and chain__ are not known here/],
    ['ansible_facts=1', /name something in ansible_facts/],
    ['ansible_facts__a__icontains=b', /icontains does not work on facts/],
    ['name', /expected = after name/],
  ] as const)
    it(`answers 400 to ${filter}`, async () => {
      const { status, body } = await ask(filter);
      expect([status, body.detail]).to.satisfy(([code, detail]: [number, string]) => code === 400 && what.test(detail));
      expect(body.error, 'as AWX has it here').to.equal(body.detail);
    });

  it('takes an empty one as none, and is refused twice', async () => {
    expect((await ask('')).body.count).to.equal(3);
    expect((await ask('name=a', 'host_filter=name%3Db')).status).to.equal(400);
  });

  it('shows and probes only what the caller may read', async () => {
    await add(api, '/api/v2/users/', { username: 'reader', password: 'pw' });
    const reader = api.as(basic('reader', 'pw'));
    const roles = (await api.admin('GET', other.url)).body.summary_fields.object_roles;
    const { id } = (await api.admin('GET', '/api/v2/users/?username=reader')).body.results[0];
    await api.admin('POST', `/api/v2/users/${id}/roles/`, { id: roles.read_role.id });
    const hidden = await reader('GET', '/api/v2/hosts/?host_filter=name%3Dweb1');
    expect(hidden.body.results.map((host: any) => host.inventory)).to.deep.equal([other.id]);
    const probe = 'inventory__organization__inventories__name%3Dfiltered';
    expect((await reader('GET', `/api/v2/hosts/?host_filter=${probe}`)).body.count).to.equal(0);
  });

  it('is told by OPTIONS, with the facts among what can be searched', async () => {
    const { body } = await api.admin('OPTIONS', '/api/v2/hosts/');
    expect(body.parameters.host_filter.type).to.equal('string');
    expect(body.related_search_fields).to.include.members(['ansible_facts', 'engine_facts', 'groups__search']);
  });
});
