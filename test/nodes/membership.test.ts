import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadSituation } from '../../core/dispatch/situation.ts';
import { livingNodes } from '../../core/nodes/living.ts';
import { createMembership, type Membership } from '../../core/nodes/membership.ts';
import { down, up } from '../../migrations/0025_one_table_of_nodes.ts';
import { cutOff } from '../support/cut-off.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createRuns } from '../support/runs.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

describe('a node among others', () => {
  const machine = { cpu: 4, memory: 8 * 1024 ** 3, engine: '2.19.14' };
  let database: TestDatabase;
  let folder: string;
  let told: string[];
  const members: Membership[] = [];

  before(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'tapline-nodes-'));
  });
  beforeEach(() => void (told = []));
  afterEach(async () => {
    await Promise.all(members.splice(0).map((member) => member.leave()));
    await database.db('instances').delete();
  });
  after(async () => {
    await database.drop();
    removeFolder(folder);
  });

  interface Made {
    roles?: ('web' | 'worker')[];
    dataDir?: string;
    plugins?: Record<string, string>;
  }

  const member = (
    nodeName: string,
    { roles = ['web', 'worker'], dataDir = join(folder, nodeName), plugins = {} }: Made = {},
  ) =>
    createMembership({
      config: { nodeName, roles, dataDir, version: '1.0.0' },
      db: database.db,
      queue: { bootId: crypto.randomUUID() },
      keyRing: { activeKeyId: () => 'k', keyIds: () => ['k'] },
      registries: { versions: () => plugins },
      log: {
        info: () => undefined,
        warn: () => undefined,
        error: (_: unknown, text: string) => void told.push(text),
      } as any,
    });
  const joined = async (...given: Parameters<typeof member>) => {
    const made = member(...given);
    await made.join();
    members.push(made);
    return made;
  };
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing was refused',
      (error: Error) => error.message,
    );
  const row = (hostname: string) => database.db('instances').where({ hostname }).first();
  const groupsOf = (hostname: string) =>
    database
      .db('instance_group_instances as m')
      .join('instance_groups as g', 'g.id', 'm.instance_group_id')
      .join('instances as i', 'i.id', 'm.instance_id')
      .where('i.hostname', hostname)
      .orderBy('g.name')
      .pluck('g.name');
  const places = async () => {
    const { db } = database;
    const [{ id }] = await db('runs').insert({ kind: 'job', status: 'pending', needs: 'engine' }).returning('id');
    const { nodes } = await db.transaction((trx) => loadSituation(trx, createRuns(db).kinds.names()));
    await db('runs').where({ id }).delete();
    return nodes.map(({ hostname }) => hostname);
  };

  it('is given runs from when it can carry them out until it leaves', async () => {
    const node = await joined('n1');
    expect(await row('n1')).to.include({ node_type: 'hybrid', node_state: 'installed', capacity: 0 });
    expect(await places()).to.deep.equal([]);
    await node.equip(machine);
    expect(await row('n1')).to.include({ node_state: 'ready', capacity: 61, engine: '2.19.14' });
    expect(await groupsOf('n1')).to.deep.equal(['controlplane', 'default']);
    expect(await places()).to.deep.equal(['n1']);
    await node.leave();
    expect(await row('n1')).to.include({ node_state: 'unavailable', errors: 'The node was stopped.' });
    expect(await places()).to.deep.equal([]);
  });

  it('has no capacity and no place among those that carry out runs where it only serves the web', async () => {
    const node = await joined('n1');
    await node.equip(machine);
    await node.leave();
    await joined('n1', { roles: ['web'] });
    const nothing = { capacity: 0, cpu_capacity: 0, mem_capacity: 0, engine: '' };
    expect(await row('n1')).to.include({ ...nothing, node_type: 'control', node_state: 'ready', errors: '' });
    expect(await groupsOf('n1')).to.deep.equal(['controlplane']);
    expect(await places()).to.deep.equal([]);
    await members.pop()!.leave();
    await (await joined('n1')).equip(machine);
    expect(await groupsOf('n1')).to.deep.equal(['controlplane', 'default']);
    expect(await places()).to.deep.equal(['n1']);
  });

  it('keeps the groups that it was put into, over restarts', async () => {
    await (await joined('n1')).leave();
    const { id } = await row('n1');
    await database.db('instance_group_instances').where({ instance_id: id }).delete();
    await joined('n1');
    expect(await groupsOf('n1')).to.deep.equal([]);
  });

  it('tells when its name is taken over, and does not become ready under it', async () => {
    const [first, second] = [await joined('n1'), await joined('n1')];
    await first.beat();
    expect(told).to.deep.equal([
      'another process took over the name of this node; give each node its own TAPLINE_NODE_NAME and data folder',
    ]);
    expect(await refusal(first.equip(machine))).to.contain('another process took over the name n1');
    await first.leave();
    expect(
      (await livingNodes(database.db)).map(({ node }) => node),
      'the second one lives',
    ).to.deep.equal(['n1']);
    await second.equip(machine);
    await second.beat();
    expect(told).to.have.length(1);
  });

  it('is refused the name of a living node with other roles', async () => {
    await joined('n1', { roles: ['worker'] });
    const text = await refusal(member('n1', { roles: ['web'] }).join());
    expect(text).to.match(/^the name n1 belongs to a node that serves as worker and was heard of \d s ago/);
    expect(text).to.contain('TAPLINE_NODE_NAME');
    expect(await row('n1')).to.include({ node_type: 'hybrid' });
    await members.pop()!.leave();
    await joined('n1', { roles: ['web'] });
  });

  it('is known by its data folder under a new name, unless the node of the old name lives', async () => {
    const dataDir = join(folder, 'shared');
    const { db } = database;
    const first = await joined('old', { dataDir });
    const { id, uuid } = await row('old');
    const rename = (name: string) => copyFileSync(join(dataDir, 'node-uuid-old'), join(dataDir, `node-uuid-${name}`));
    rename('beside');
    await joined('beside', { dataDir });
    expect((await row('beside')).id).to.not.equal(id);
    expect((await row('old')).uuid).to.equal(uuid);
    await first.leave();
    rename('new');
    await joined('new', { dataDir });
    expect(await row('new')).to.include({ id, uuid });
    await Promise.all(members.splice(0).map((one) => one.leave()));
    await joined('beside', { dataDir });
    expect(await db('instances').count({ count: '*' }).first()).to.deep.equal({ count: 2 });
  });

  it('agrees with the living only, and hears of those that came to differ', async () => {
    const first = await joined('n1', { plugins: { drift: '1.0.0' } });
    expect(await refusal(member('n2').join())).to.contain('plugin drift 1.0.0 is on there, not here');
    // cut off for a while, and back
    const back = await cutOff(database.db, first);
    await joined('n2');
    back();
    await first.beat();
    expect(told).to.deep.equal(['this node differs from another that serves now: stop one of them']);
  });

  it('does what follows a heartbeat until that is taken back', async () => {
    const node = await joined('n1');
    let times = 0;
    const stop = node.follow(async () => void (times += 1));
    await node.beat();
    stop();
    await node.beat();
    expect(times).to.equal(1);
  });

  it('had a table of its own before, which comes back when the migration is undone', async () => {
    const { db } = database;
    await db.transaction(async (trx) => {
      await down(trx);
      expect(await trx.schema.hasTable('service_nodes')).to.equal(true);
      expect(await trx.schema.hasColumn('instances', 'plugins')).to.equal(false);
      await up(trx);
      expect(await trx.schema.hasTable('service_nodes')).to.equal(false);
    });
  });
});
