import { expect } from 'chai';
import type { Knex } from 'knex';
import { createDispatcher } from '../../core/dispatch/dispatcher.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createRuns } from '../support/runs.ts';

describe('placement by instance groups', function () {
  let database: TestDatabase;
  let db: Knex;
  let runs: ReturnType<typeof createRuns>;
  let dispatcher: ReturnType<typeof createDispatcher>;
  const log = {
    error: (fields: any) => {
      throw fields.err;
    },
    warn: () => undefined,
  };

  before(async () => {
    database = await createTestDatabase();
    db = database.db;
    runs = createRuns(db);
    dispatcher = createDispatcher({ db, ...runs, log });
  });
  after(() => database.drop());
  afterEach(async () => {
    for (const table of ['runs', 'instances', 'inventories', 'organizations']) await db(table).delete();
    await db('templates').whereNot({ kind: 'system_job_template' }).delete();
    await db('instance_groups').whereNotIn('name', ['default', 'controlplane']).delete();
  });

  const insert = async (table: string, row: object): Promise<number> =>
    (await db(table).insert(row).returning('id'))[0].id;
  const group = (name: string, more: object = {}) => insert('instance_groups', { name, ...more });
  async function node(hostname: string, groups: readonly (number | string)[], more: object = {}): Promise<number> {
    const row = {
      hostname,
      uuid: crypto.randomUUID(),
      capacity: 100,
      last_seen: db.raw("now() + interval '1 hour'"),
      ...more,
    };
    const id = await insert('instances', row);
    for (const one of groups) {
      const instance_group_id =
        typeof one === 'number' ? one : (await db('instance_groups').where({ name: one }).first('id')).id;
      await db('instance_group_instances').insert({ instance_group_id, instance_id: id });
    }
    return id;
  }
  const prefers = (kind: 'template' | 'inventory' | 'organization', of: number, ...groups: number[]) =>
    db(`${kind}_instance_groups`).insert(groups.map((id) => ({ [`${kind}_id`]: of, instance_group_id: id })));
  const pending = (more: object = {}) => insert('runs', { kind: 'job', status: 'pending', impact: 6, ...more });
  const pass = async () => {
    while (await dispatcher.runOnce());
  };
  const placed = async (...ids: number[]) => {
    await pass();
    const rows = await db('runs as r')
      .leftJoin('instance_groups as g', 'g.id', 'r.instance_group_id')
      .whereIn('r.id', ids)
      .orderBy('r.id')
      .select('r.status', 'r.execution_node', 'r.pending_reasons', { group: 'g.name' });
    return rows.map(({ status, execution_node, group: name, pending_reasons: [reason] }) =>
      status === 'waiting' ? `${execution_node} for ${name}` : reason.text,
    );
  };

  it('takes the groups of the launch, else of the template, the inventory, the organization, else the default', async () => {
    const [ofLaunch, ofTemplate, ofInventory, ofOrganization] = [
      await group('launch'),
      await group('template'),
      await group('inventory'),
      await group('organization'),
    ];
    for (const [name, one] of Object.entries({ l: ofLaunch, t: ofTemplate, i: ofInventory, o: ofOrganization }))
      await node(name, [one]);
    await node('d', ['default']);
    const organization_id = await insert('organizations', { name: 'o' });
    const inventory_id = await insert('inventories', { name: 'i', organization_id });
    const template_id = await insert('templates', { kind: 'job_template', name: 't' });
    await prefers('organization', organization_id, ofOrganization);
    const ids = [await pending(), await pending({ organization_id })];
    expect(await placed(...ids)).to.deep.equal(['d for default', 'o for organization']);
    await prefers('inventory', inventory_id, ofInventory);
    expect(await placed(await pending({ organization_id, inventory_id }))).to.deep.equal(['i for inventory']);
    await prefers('template', template_id, ofTemplate);
    const all = { organization_id, inventory_id, template_id };
    expect(await placed(await pending(all))).to.deep.equal(['t for template']);
    expect(await placed(await pending({ ...all, places: [ofLaunch] }))).to.deep.equal(['l for launch']);
    // the group is gone
    expect(await placed(await pending({ ...all, places: [999_999] }))).to.deep.equal(['t for template']);
  });

  it('falls back to the next group where the first has no room, unless the template keeps the others out', async () => {
    const [small, large] = [await group('small'), await group('large')];
    await node('s', [small], { capacity: 6 });
    await node('l', [large]);
    const organization_id = await insert('organizations', { name: 'o' });
    const inventory_id = await insert('inventories', { name: 'i', organization_id });
    const template_id = await insert('templates', { kind: 'job_template', name: 't' });
    await prefers('template', template_id, small);
    await prefers('inventory', inventory_id, large);
    const run = () => pending({ template_id, inventory_id, organization_id });
    expect(await placed(await run(), await run())).to.deep.equal(['s for small', 'l for large']);
    await db('templates').where({ id: template_id }).update({ prevent_instance_group_fallback: true });
    expect(await placed(await run())).to.deep.equal([
      'No room in "small": needs 6 units of capacity, the freest of its nodes has 0 left.',
    ]);
    // and with nothing of its own it goes where everything goes
    await db('template_instance_groups').delete();
    await node('d', ['default']);
    expect(await placed(await run())).to.deep.equal(['d for default']);
  });

  it('lets a group keep others of its inventory out as well', async () => {
    const [ofInventory, ofOrganization] = [await group('inventory'), await group('organization')];
    await node('o', [ofOrganization]);
    const organization_id = await insert('organizations', { name: 'o' });
    const inventory_id = await insert('inventories', {
      name: 'i',
      organization_id,
      prevent_instance_group_fallback: true,
    });
    await prefers('organization', organization_id, ofOrganization);
    await prefers('inventory', inventory_id, ofInventory);
    const id = await pending({ inventory_id, organization_id });
    expect(await placed(id)).to.deep.equal(['No room in "inventory": it has no nodes.']);
    await db('inventories').update({ prevent_instance_group_fallback: false });
    expect(await placed(id)).to.deep.equal(['o for organization']);
  });

  it('holds the limits of a group, within a pass as well, and says which it was', async () => {
    const few = await group('few', { max_concurrent_jobs: 2 });
    const forks = await group('forks', { max_forks: 10 });
    await node('n', [few, forks]);
    const ids = [await pending({ places: [few] }), await pending({ places: [few] }), await pending({ places: [few] })];
    expect(await placed(...ids)).to.deep.equal([
      'n for few',
      'n for few',
      'No room in "few": 2 runs are under way there, and it allows 2 (max_concurrent_jobs).',
    ]);
    const others = [
      await pending({ places: [forks] }),
      await pending({ places: [forks] }),
      await pending({ places: [forks], impact: 11 }),
    ];
    expect(await placed(...others)).to.deep.equal([
      'n for forks',
      'No room in "forks": 6 of its 10 units are taken (max_forks).',
      'No room in "forks": the run needs 11 units, and it never allows more than 10 (max_forks).',
    ]);
    await db('runs').where({ id: ids[0] }).update({ status: 'successful' });
    expect(await placed(ids[2]!)).to.deep.equal(['n for few']);
  });

  it('names every group that has no room, those for containers too', async () => {
    const pods = await group('pods', { is_container_group: true });
    const off = await group('off');
    await node('n', [off], { enabled: false });
    await node('d', ['default']);
    expect(await placed(await pending({ places: [pods, off] }))).to.deep.equal([
      'No room in "pods": it is a place for containers, which this service does not start; "off": none of its nodes takes work now.',
    ]);
  });

  it('sends upkeep to the control plane, whatever others prefer, and uses a node of no group as one of the default', async () => {
    await node('c', ['controlplane']);
    await node('alone', []);
    const organization_id = await insert('organizations', { name: 'o' });
    await prefers('organization', organization_id, await group('elsewhere'));
    expect(await placed(await pending({ organization_id, places: [] }), await pending())).to.deep.equal([
      'c for controlplane',
      'alone for default',
    ]);
  });

  it('forgets the group of a run that comes back, and counts what a node can carry now', async () => {
    const id = await node('n', ['default'], { capacity: 6 });
    const [first, second] = [await pending(), await pending()];
    await pass();
    await db('instances').where({ id }).update({ capacity: 12 });
    expect(await placed(second)).to.deep.equal(['n for default']);
    await db.transaction((trx) => runs.statuses.setStatus(trx, { id: first }, 'pending'));
    expect(await db('runs').where({ id: first }).first('instance_group_id')).to.deep.equal({ instance_group_id: null });
  });

  it('costs no more statements for many runs and groups than for one', async () => {
    let statements = 0;
    const count = () => (statements += 1);
    await node('n', ['default']);
    const measured = async (many: number) => {
      for (let at = 0; at < many; at += 1) await pending({ places: [await group(`g${Math.random()}`)] });
      db.on('query', count);
      statements = 0;
      await dispatcher.runOnce();
      db.removeListener('query', count);
      return statements;
    };
    const one = await measured(1);
    expect(await measured(30)).to.be.at.most(one);
  });
});
