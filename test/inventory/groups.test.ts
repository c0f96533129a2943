import { expect } from 'chai';
import { type Api, startApi } from '../support/api.ts';
import { add, names, seedInventory } from './seed.ts';

describe('groups', () => {
  let api: Api;
  let serial = 0;
  before(async () => void (api = await startApi()));
  after(() => api?.stop());

  /** An inventory with groups and their children: `{ a: ['b'] }`, and hosts in groups: `{ h: ['a'] }`. */
  async function tree(groups: Record<string, string[]>, hosts: Record<string, string[]> = {}) {
    const inventory = await seedInventory(api, `inv${++serial}`);
    const made: Record<string, any> = {};
    for (const name of new Set([...Object.keys(groups), ...Object.values(groups).flat()]))
      made[name] = await add(api, `${inventory.url}groups/`, { name });
    for (const [parent, children] of Object.entries(groups))
      for (const child of children) await api.admin('POST', `${made[parent].url}children/`, { id: made[child].id });
    for (const [name, of] of Object.entries(hosts)) {
      made[name] = await add(api, `${inventory.url}hosts/`, { name });
      for (const group of of) await api.admin('POST', `${made[group].url}hosts/`, { id: made[name].id });
    }
    const left = async () => [
      ...names(await api.admin('GET', `${inventory.url}groups/`)),
      ...names(await api.admin('GET', `${inventory.url}hosts/`)),
    ];
    return { inventory, left, ...made } as Record<string, any>;
  }

  it('show their inventory and its counts', async () => {
    const { a, inventory } = await tree({ a: [] });
    const { body } = await api.admin('GET', a.url);
    expect(body).to.include({ type: 'group', name: 'a', inventory: inventory.id, variables: '' });
    expect(body.summary_fields.inventory).to.include({ total_groups: 1, organization_id: inventory.organization });
    for (const key of ['hosts', 'children', 'all_hosts', 'potential_children', 'variable_data'])
      expect(body.related[key]).to.equal(`${a.url}${key}/`);
  });

  for (const name of ['all', '_meta', '{{ g }}']) {
    it(`refuse the name ${name}`, async () => {
      const { inventory } = await tree({});
      expect((await api.admin('POST', `${inventory.url}groups/`, { name })).body).to.have.all.keys('name');
    });
  }

  it('refuse cycles of any length, also when both halves come at once', async () => {
    const { a, b, c } = await tree({ a: ['b'], b: ['c'] });
    for (const [parent, child] of [
      [a, a],
      [b, a],
      [c, a],
    ]) {
      const { status, body } = await api.admin('POST', `${parent.url}children/`, { id: child.id });
      expect(status).to.equal(400);
      expect(body).to.have.all.keys('error');
    }
    const { x, y } = await tree({ x: [], y: [] });
    const answers = await Promise.all([
      api.admin('POST', `${x.url}children/`, { id: y.id }),
      api.admin('POST', `${y.url}children/`, { id: x.id }),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([204, 400]);
  });

  it('take neither groups nor hosts of another inventory', async () => {
    const { a } = await tree({ a: [] });
    const { b, h } = await tree({ b: [] }, { h: [] });
    for (const [path, id] of [
      ['children/', b.id],
      ['hosts/', h.id],
    ]) {
      const { status, body } = await api.admin('POST', a.url + path, { id });
      expect([status, Object.keys(body)]).to.deep.equal([400, ['detail']]);
    }
  });

  it('list all hosts below, and the groups that may become children', async () => {
    const { a, b } = await tree({ a: ['b'], b: ['c'], other: [] }, { h1: ['a'], h2: ['c'], h3: ['other'] });
    expect(names(await api.admin('GET', `${a.url}all_hosts/`))).to.deep.equal(['h1', 'h2']);
    expect(names(await api.admin('GET', `${a.url}hosts/`))).to.deep.equal(['h1']);
    expect(names(await api.admin('GET', `${b.url}potential_children/`))).to.deep.equal(['other']);
  });

  it('create children and hosts below them in their own inventory', async () => {
    const { a, inventory } = await tree({ a: [] });
    expect((await add(api, `${a.url}children/`, { name: 'new', inventory: 99999 })).inventory).to.equal(inventory.id);
    expect((await add(api, `${a.url}hosts/`, { name: 'newhost' })).inventory).to.equal(inventory.id);
    expect(names(await api.admin('GET', `${a.url}hosts/`))).to.deep.equal(['newhost']);
  });

  it('attach the host that is there when its name is given without variables', async () => {
    const { a, h } = await tree({ a: [] }, { h: [] });
    for (const variables of [undefined, '', '{}', '---']) {
      expect((await api.admin('POST', `${a.url}hosts/`, { name: 'h', variables })).status).to.equal(204);
    }
    expect((await api.admin('GET', `${a.url}hosts/`)).body.results[0].id).to.equal(h.id);
    expect((await api.admin('POST', `${a.url}hosts/`, { name: 'h', variables: 'a: 1' })).status).to.equal(400);
  });

  it('are nested as deep as the engine copes with, and no deeper', async () => {
    const inventory = await seedInventory(api, `deep${++serial}`);
    const path = (id: number) => `/api/v2/groups/${id}/`;
    const chain = async (name: string, levels: number): Promise<number[]> => {
      const rows = Array.from({ length: levels }, (_, level) => ({
        name: `${name}${level}`,
        inventory_id: inventory.id,
      }));
      const ids: number[] = (await api.db('groups').insert(rows).returning('id')).map(({ id }) => id);
      const links = ids.slice(1).map((child_id, at) => ({ parent_id: ids[at]!, child_id }));
      if (links.length) await api.db('group_children').insert(links);
      return ids;
    };
    const [long, short] = [await chain('long', 70), await chain('short', 30)];
    const [one] = await chain('one', 1);
    const attach = (parent: number, child: number) => api.admin('POST', `${path(parent)}children/`, { id: child });
    expect((await attach(long.at(-1)!, short[0]!)).status).to.equal(204);
    for (const [parent, child] of [
      [short.at(-1)!, one!],
      [one!, long[0]!],
    ] as const) {
      const { status, body } = await attach(parent, child);
      expect([status, Object.keys(body)]).to.deep.equal([400, ['error']]);
    }
    expect((await api.admin('GET', `${inventory.url}tree/`)).status).to.equal(200);
    // from before there was a bound
    await api.db('group_children').insert({ parent_id: one!, child_id: long[0]! });
    for (const list of ['tree', 'script'])
      expect((await api.admin('GET', `${inventory.url}${list}/`)).body.detail).to.match(/deeper than 100/);
  });

  it('take along what is in no other group when they are deleted', async () => {
    const made = await tree(
      { a: ['b', 'shared'], b: ['c'], keep: ['shared'] },
      { ha: ['a'], hc: ['c'], both: ['c', 'keep'], free: [] },
    );
    expect((await api.admin('DELETE', made.a.url)).status).to.equal(204);
    expect(await made.left()).to.deep.equal(['keep', 'shared', 'both', 'free']);
    const told = await api.admin('GET', '/api/v2/activity_stream/?operation=delete&order_by=-id');
    expect(told.body.results.map(({ object1, changes }: any) => `${object1} ${changes.name}`)).to.have.members([
      'host ha',
      'host hc',
      'group a',
      'group b',
      'group c',
    ]);
    const { rows } = await api.db.raw(
      `select count(*)::int as count from audit_events where action = 'delete' and object_type in ('host', 'group')
         and object_id = any (?)`,
      [[made.ha, made.hc, made.a, made.b, made.c].map(({ id }) => id)],
    );
    expect(rows[0].count).to.equal(5);
  });

  it('take along a group whose parents all go', async () => {
    const made = await tree({ top: ['l', 'r'], l: ['bottom'], r: ['bottom'] }, { h: ['bottom', 'l'] });
    await api.admin('DELETE', made.top.url);
    expect(await made.left()).to.deep.equal([]);
  });

  it('go alone when they are detached from the inventory', async () => {
    const made = await tree({ a: ['b'] }, { h: ['a'] });
    expect(
      (await api.admin('POST', `${made.inventory.url}groups/`, { id: made.a.id, disassociate: true })).status,
    ).to.equal(204);
    expect(await made.left()).to.deep.equal(['b', 'h']);
    expect(names(await api.admin('GET', `${made.inventory.url}root_groups/`))).to.deep.equal(['b']);
  });

  it('lose a child without deleting it, or go themselves when no child is named', async () => {
    const made = await tree({ a: ['b'] });
    expect(
      (await api.admin('POST', `${made.a.url}children/`, { id: made.b.id, disassociate: made.a.id })).status,
    ).to.equal(204);
    expect(await made.left()).to.deep.equal(['a', 'b']);
    expect((await api.admin('POST', `${made.a.url}children/`, { disassociate: true })).status).to.equal(204);
    expect(await made.left()).to.deep.equal(['b']);
  });

  it('stay while jobs run on their inventory', async () => {
    const { a, inventory } = await tree({ a: [] });
    await api.db('runs').insert({ kind: 'job', status: 'pending', inventory_id: inventory.id });
    expect((await api.admin('DELETE', a.url)).status).to.equal(409);
  });

  it('are found by children, parents and hosts', async () => {
    const { a, b, h, inventory } = await tree({ a: ['b'] }, { h: ['b'] });
    const find = async (query: string) =>
      names(await api.admin('GET', `/api/v2/groups/?inventory=${inventory.id}&${query}`));
    expect(await find(`children=${b.id}`)).to.deep.equal(['a']);
    expect(await find(`parents=${a.id}`)).to.deep.equal(['b']);
    expect(await find(`hosts=${h.id}`)).to.deep.equal(['b']);
    expect(await find(`not__hosts=${h.id}`)).to.deep.equal(['a']);
    expect(await find('parents__isnull=true')).to.deep.equal(['a']);
  });
});
