import type { PluginApi } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';
import { world } from '../rbac/world.ts';

describe('what inventories hold, for plugins', () => {
  let service: TestService;
  let api: PluginApi;
  const named: Record<string, number> = {};
  const hosts: Record<string, number> = {};

  before(async () => {
    service = await bootWith({ plugins: [testPlugin('asker', (given) => void (api = given))] });
    const { db } = service.services;
    const make = world(db);
    const organization = await make.organization();
    const inventory = async (name: string, more = {}) => {
      named[name] = (await make.inventory(organization, more)).id;
      return named[name];
    };
    const host = async (name: string, inventory_id: number, more = {}) => {
      const [row] = await db('hosts')
        .insert({ name, inventory_id, ...more })
        .returning('id');
      return Number(row.id);
    };
    const [plain, second] = [await inventory('plain'), await inventory('second')];
    hosts['web'] = await host('web', plain);
    hosts['db'] = await host('db', plain);
    hosts['web too'] = await host('web', second);
    hosts['elsewhere'] = await host('web', (await make.inventory(await make.organization())).id);
    await inventory('smart', { kind: 'smart', host_filter: 'name__startswith=w' });
    await inventory('broken', { kind: 'smart', host_filter: 'nothing=1' });
    await inventory('constructed', { kind: 'constructed' });
    await inventory('federated', { kind: 'federated' });
    for (const [of, input] of [
      ['constructed', 'plain'],
      ['federated', 'plain'],
      ['federated', 'second'],
    ] as const)
      await db('inventory_inputs').insert({ inventory_id: named[of], input_id: named[input] });
    await host('web', named['constructed']!, { instance_id: String(hosts['web']) });
    // whatever stands there, it is no way to the hosts of others
    await host('db', named['constructed']!, { instance_id: String(hosts['web too']) });
  });
  after(() => service?.stop());

  const held = async (inventories: readonly string[], of: readonly string[] = Object.keys(hosts)) => {
    const found = await api.inventories.holding(
      inventories.map((name) => named[name]!),
      of.map((name) => hosts[name]!),
    );
    const nameOf = (names: Record<string, number>, id: number) => Object.keys(names).find((name) => names[name] === id);
    return found.map((one) => `${nameOf(named, one.inventory_id)}: ${nameOf(hosts, one.host_id)}`).toSorted();
  };

  for (const [kind, expected] of Object.entries({
    plain: ['plain: db', 'plain: web'],
    // of several with one name the first, of its organization alone
    smart: ['smart: web'],
    broken: [],
    constructed: ['constructed: web'],
    federated: ['federated: db', 'federated: web', 'federated: web too'],
  }))
    it(`is told of ${kind} ones`, async () => {
      expect(await held([kind])).to.deep.equal(expected);
    });

  it('is told of all at once, and of no other host than those that are asked about', async () => {
    const before: string[] = [];
    const note = ({ sql }: { sql: string }) => void before.push(sql);
    service.services.db.on('query', note);
    expect(await held(Object.keys(named), ['web'])).to.deep.equal([
      'constructed: web',
      'federated: web',
      'plain: web',
      'smart: web',
    ]);
    service.services.db.off('query', note);
    expect(before.filter((sql) => sql.includes('hosts'))).to.have.length(1);
    expect(await held(['smart'], ['web too'])).to.deep.equal([]);
    expect([await held([]), await held(['smart'], [])]).to.deep.equal([[], []]);
  });
});
