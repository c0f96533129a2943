import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { inventoryDocument } from '../../core/inventory/document.ts';
import { type Api, startApi } from '../support/api.ts';
import { add, seedInventory } from './seed.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const run = promisify(execFile);

/** What the engine's own reader makes of a document. */
async function readByEngine(document: object): Promise<any> {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-inventory-'));
  const script = join(folder, 'inventory.sh');
  const bin = join(root, '.tools/engine/bin');
  try {
    writeFileSync(join(folder, 'document.json'), JSON.stringify(document));
    writeFileSync(script, `#!/bin/sh\ncat ${join(folder, 'document.json')}\n`, { mode: 0o755 });
    const { stdout } = await run(
      existsSync(bin) ? join(bin, 'ansible-inventory') : 'ansible-inventory',
      ['-i', script, '--list'],
      {
        env: {
          PATH: `${bin}:${process.env.PATH}`,
          HOME: folder,
          ANSIBLE_LOCAL_TEMP: folder,
          ANSIBLE_INVENTORY_ENABLED: 'script',
          LC_ALL: 'C.UTF-8',
        },
      },
    );
    return JSON.parse(stdout);
  } finally {
    removeFolder(folder);
  }
}

describe('inventory document', () => {
  let api: Api;
  let inventory: any;
  let off: any;
  before(async () => {
    api = await startApi();
    inventory = await seedInventory(api, 'doc', { variables: 'where: here' });
    const group = (name: string, extra = {}) => add(api, `${inventory.url}groups/`, { name, ...extra });
    const [web, db, empty, parent] = [
      await group('web', { variables: '{"port": 80}' }),
      await group('db'),
      await group('empty'),
      await group('parent'),
    ];
    expect(empty.name).to.equal('empty');
    await api.admin('POST', `${parent.url}children/`, { id: web.id });
    await api.admin('POST', `${parent.url}children/`, { id: db.id });
    await add(api, `${web.url}hosts/`, { name: 'w2', variables: 'version: 1.10\nbig: 12345678901234567890' });
    await add(api, `${web.url}hosts/`, { name: 'w1', variables: '{"exact": 1.0}' });
    off = await add(api, `${db.url}hosts/`, { name: 'off', enabled: false, variables: 'x: 1' });
    await add(api, `${inventory.url}hosts/`, { name: 'lonely' });
  });
  after(() => api?.stop());
  const script = async (query = '') => api.admin('GET', `${inventory.url}script/${query}`);

  it('holds enabled hosts, groups with content, and every group among the children of all', async () => {
    expect((await script()).body).to.deep.equal({
      all: { hosts: ['lonely'], children: ['db', 'empty', 'parent', 'web'], vars: { where: 'here' } },
      web: { hosts: ['w1', 'w2'], vars: { port: 80 } },
      parent: { children: ['db', 'web'] },
    });
  });

  it('adds disabled hosts, variables and identities when asked by any value', async () => {
    const { body } = await script('?hostvars=1&towervars=0&all=no');
    expect(body.db.hosts).to.deep.equal(['off']);
    expect(body._meta.hostvars.off).to.deep.equal({
      x: 1,
      remote_host_enabled: 'false',
      remote_host_id: off.id,
      remote_tower_enabled: 'false',
      remote_tower_id: off.id,
    });
    expect(body._meta.hostvars.lonely).to.include({ remote_host_enabled: 'true' });
    expect(Object.keys((await script('?hostvars=1')).body._meta.hostvars)).to.deep.equal(['lonely', 'w1', 'w2']);
  });

  it('keeps numbers as they were written', async () => {
    expect((await script('?hostvars=1')).text)
      .to.include('"big":12345678901234567890')
      .and.include('"exact": 1.0')
      .and.include('"version":1.10');
  });

  it('takes the names of the language for names like any other', async () => {
    const odd = await add(api, '/api/v2/inventories/', {
      name: 'odd',
      organization: 1,
      variables: '{"__proto__": {"a": 1}, "constructor": 2}',
    });
    const { text } = await api.admin('GET', `${odd.url}script/`);
    expect(text).to.equal('{"all":{"vars":{"__proto__":{"a":1},"constructor":2}}}');
  });

  it('gives the variables of one host', async () => {
    expect((await script('?host=w2')).text).to.equal('{"version":1.10,"big":12345678901234567890}');
    expect((await script('?host=off')).status).to.equal(404);
    expect((await script('?host=off&all=1')).body).to.deep.equal({ x: 1 });
    for (const host of ['nowhere', '%00', "'"]) expect((await script(`?host=${host}`)).status).to.equal(404);
  });

  it('gives slices of the hosts by name', async () => {
    const slice = async (text: string) => Object.keys((await script(`?hostvars=1&subset=${text}`)).body._meta.hostvars);
    expect(await slice('slice1of2')).to.deep.equal(['lonely', 'w2']);
    expect(await slice('slice2of2')).to.deep.equal(['w1']);
    for (const bad of ['slice0of2', 'slice3of2', 'slice1of0', 'x', 'slice1of2x', '1'])
      expect((await script(`?subset=${bad}`)).status, bad).to.equal(400);
  });

  it('is what the engine reads', async () => {
    const read = await readByEngine(await inventoryDocument(api.db, inventory.id, { hostvars: true }));
    expect(read.web.hosts.toSorted()).to.deep.equal(['w1', 'w2']);
    expect(read.parent.children.toSorted()).to.include('web');
    expect(read._meta.hostvars.w1).to.include({ exact: 1, port: 80, where: 'here' });
    expect(read.all.children).to.include('ungrouped');
    expect(read.ungrouped.hosts).to.deep.equal(['lonely']);
  });

  it('is a tree of groups, each under every parent', async () => {
    const { body } = await api.admin('GET', `${inventory.url}tree/`);
    expect(body.map(({ name }: any) => name)).to.deep.equal(['empty', 'parent']);
    expect(body[1].children.map(({ name }: any) => name)).to.deep.equal(['db', 'web']);
    expect(body[1].children[1]).to.include({ type: 'group', inventory: inventory.id }).and.have.property('related');
    expect(body[1].children[1].children).to.deep.equal([]);
  });

  it('refuses a tree that grows beyond all bounds', async () => {
    const { id, url } = await seedInventory(api, 'diamonds');
    await api.db.raw(
      `insert into groups (inventory_id, name) select ?, 'g' || level || side from generate_series(1, 40) level, unnest(array['a', 'b']) side`,
      [id],
    );
    await api.db.raw(
      `insert into group_children select p.id, c.id from groups p join groups c on c.inventory_id = p.inventory_id
      and substring(c.name from '\\d+')::int = substring(p.name from '\\d+')::int + 1 where p.inventory_id = ?`,
      [id],
    );
    expect((await api.admin('GET', `${url}tree/`)).status).to.equal(400);
  });

  it('takes one statement at 10,000 hosts too', async () => {
    const { id } = await seedInventory(api, 'large');
    await api.db.raw(
      `insert into hosts (inventory_id, name, variables) select ?, 'host' || n, '{"ansible_host": "10.0.0.1", "n": ' || n || '}' from generate_series(1, 10000) n`,
      [id],
    );
    await api.db.raw(`insert into groups (inventory_id, name) select ?, 'group' || n from generate_series(1, 100) n`, [
      id,
    ]);
    await api.db.raw(
      `insert into group_hosts select g.id, h.id from hosts h join groups g on g.inventory_id = h.inventory_id and g.name = 'group' || (h.id % 100 + 1) where h.inventory_id = ?`,
      [id],
    );
    let statements = 0;
    const count = () => void statements++;
    api.db.on('query', count);
    const document = await inventoryDocument(api.db, id, { hostvars: true });
    api.db.off('query', count);
    const { _meta, group1 } = document as { _meta: { hostvars: object }; group1: { hosts: string[] } };
    expect(Object.keys(_meta.hostvars)).to.have.length(10_000);
    expect(group1.hosts).to.have.length(100);
    expect(statements).to.equal(1);
  });
});
