import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { beginDeletion, removeInventory } from '../../core/inventory/deletion.ts';
import { eventId } from '../../core/events/event-id.ts';
import { hashPassword } from '../../core/accounts/password.ts';
import { createRecordedExecutor, recordedExit } from '../../bench/lib/recorded-events.ts';
import { createRun, createSpool, follow } from '../events/spool.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { connect, settle, startNode, type TestNode } from './stage.ts';

const basic = (name: string) => ({ authorization: `Basic ${Buffer.from(`${name}:password`).toString('base64')}` });
const token = `svc_${'t'.repeat(43)}`;

describe('the WebSocket', () => {
  let base: TestDatabase;
  let one: TestNode;
  let two: TestNode;
  let admin: number;
  before(async () => {
    base = await createTestDatabase();
    const password = await hashPassword('password');
    const users = await base
      .db('users')
      .insert([
        { username: 'admin', password, is_superuser: true },
        { username: 'plain', password },
      ])
      .returning('id');
    admin = users[0].id;
    await base
      .db('tokens')
      .insert({ user_id: admin, token_hash: createHash('sha256').update(token).digest(), expires: '3000-01-01' });
    one = await startNode(base.url);
    two = await startNode(base.url);
  });
  after(async () => {
    await one.stop();
    await two.stop();
    await base.drop();
  });
  const clients: Awaited<ReturnType<typeof connect>>[] = [];
  const open = async (node: TestNode, headers: Record<string, string> = basic('admin'), path?: string) => {
    const client = await connect(node, headers, path);
    clients.push(client);
    return client;
  };
  afterEach(() => clients.splice(0).forEach(({ socket }) => socket.terminate()));

  it('greets whoever has good credentials, on both paths', async () => {
    for (const path of ['/websocket/', '/api/websocket/']) {
      const client = await open(one, basic('admin'), path);
      expect(await until(() => client.messages[0])).to.deep.equal({ accept: true, user: admin });
    }
    expect((await open(one, { authorization: `Bearer ${token}` })).refused).to.equal(null);
  });

  it('refuses the handshake otherwise', async () => {
    expect((await open(one, {})).refused).to.equal(403);
    expect((await open(one, { authorization: 'Bearer svc_wrong' })).refused).to.equal(403);
    expect((await open(one, { ...basic('admin'), origin: 'https://evil.example' })).refused).to.equal(403);
    expect((await open(one, { ...basic('admin'), origin: `http://127.0.0.1:${one.port}` })).refused).to.equal(null);
    expect(
      (await open(one, { authorization: `Bearer ${token}`, origin: 'https://elsewhere.example' })).refused,
    ).to.equal(null);
    expect((await open(one, basic('admin'), '/elsewhere/')).refused).to.equal(404);
  });

  it('tells whoever saw an inventory that it is being deleted, and that it is gone', async () => {
    const { db } = base;
    const [organization] = await db('organizations').insert({ name: 'With inventories' }).returning('id');
    const inventory = async (name: string) =>
      (await db('inventories').insert({ name, organization_id: organization.id }).returning('id'))[0].id as number;
    const [seen, unseen] = [await inventory('seen'), await inventory('unseen')];
    await db.raw(
      `insert into role_users (role_id, user_id) select r.id, u.id from roles r, users u
       where r.content_type = 'inventory' and r.object_id = ? and r.role_field = 'read_role' and u.username = 'plain'`,
      [seen],
    );
    const groups = { inventories: ['status_changed'] };
    const [boss, reader] = [await open(one), await open(two, basic('plain'))];
    for (const client of [boss, reader]) await client.subscribe(groups);
    const queue = { addTasks: async () => undefined };
    for (const id of [unseen, seen]) await db.transaction((trx) => beginDeletion({ bus: one.bus, queue }, trx, id));
    const told = (id: number, ...all: string[]) =>
      all.map((status) => ({ group_name: 'inventories', inventory_id: id, status }));
    await until(() => reader.of('inventories').length === 1);
    for (const id of [unseen, seen]) await removeInventory({ db, bus: one.bus }, id);
    await until(() => reader.of('inventories').length === 2 && boss.of('inventories').length === 4);
    await settle(db, two, reader, groups);
    expect(reader.of('inventories')).to.deep.equal(told(seen, 'pending_deletion', 'deleted'));
    expect(boss.of('inventories')).to.have.deep.members([
      ...told(unseen, 'pending_deletion', 'deleted'),
      ...told(seen, 'pending_deletion', 'deleted'),
    ]);
  });

  it('replaces the whole subscription with each message', async () => {
    const run = await createRun(base.db);
    const client = await open(one);
    expect(await client.subscribe({ jobs: ['status_changed', 'summary'], control: ['limit_reached_1'] })).to.deep.equal(
      {
        groups_current: ['jobs-status_changed', 'jobs-summary', 'control-limit_reached_1'],
        groups_left: [],
        groups_joined: ['jobs-status_changed', 'jobs-summary', 'control-limit_reached_1'],
      },
    );
    expect(await client.subscribe({ jobs: ['summary'], job_events: [run.id] })).to.deep.equal({
      groups_current: ['jobs-summary', `job_events-${run.id}`],
      groups_left: ['jobs-status_changed', 'control-limit_reached_1'],
      groups_joined: [`job_events-${run.id}`],
    });
    expect(await client.subscribe({})).to.deep.include({ groups_current: [], groups_joined: [] });
  });

  it('refuses single channels and goes on with the rest', async () => {
    const run = await createRun(base.db);
    const update = await createRun(base.db, { kind: 'project_update' });
    const client = await open(one);
    const answer = await client.subscribe({
      job_events: [999_999, update.id, 'x', run.id],
      nosuch_events: [1],
      jobs: ['status_changed'],
    });
    expect(answer.groups_current).to.deep.equal([`job_events-${run.id}`, 'jobs-status_changed']);
    expect(client.messages.filter(({ error }) => error).map(({ error }) => error)).to.deep.equal(
      [
        'job_events for resource id 999999',
        `job_events for resource id ${update.id}`,
        'job_events for resource id x',
        'nosuch_events for resource id 1',
      ].map((rest) => `access denied to channel ${rest}`),
    );
    const plain = await open(one, basic('plain'));
    expect((await plain.subscribe({ job_events: [run.id] })).groups_current).to.deep.equal([]);
  });

  it('answers what it cannot read and stays open', async () => {
    const client = await open(one);
    for (const text of ['not json', '[]', '"x"', 'null']) client.send(text);
    await until(() => client.messages.length === 5);
    expect(client.messages.slice(1).every(({ error }) => error === 'a message must be a JSON object')).to.equal(true);
    await client.subscribe({ jobs: ['status_changed'] });
    for (const groups of [{ jobs: 'status_changed' }, [], null, 5, undefined])
      expect(await client.subscribe(groups)).to.deep.equal({ error: 'access denied to channel' });
    expect((await client.subscribe({ jobs: ['status_changed'], __proto__: [] })).groups_current).to.deep.equal([
      'jobs-status_changed',
    ]);
    client.send('x'.repeat(300_000));
    await until(() => client.closed() === 1009);
  });

  it('sends every change of status to clients of every node, after the commit', async () => {
    const [a, b, plain] = [await open(one), await open(two), await open(two, basic('plain'))];
    for (const client of [a, b, plain]) await client.subscribe({ jobs: ['status_changed'] });
    const run = await createRun(base.db, { kind: 'project_update' });
    const change = { run: run.id, kind: 'project_update', template: 7, project: 7, inventory: null };
    await base.db.transaction(async (trx) =>
      one.bus.notify(trx, 'status', { ...change, status: 'running', seq: 3, finished: null }),
    );
    await base.db
      .transaction(async (trx) => {
        await one.bus.notify(trx, 'status', { ...change, status: 'error', seq: 9 });
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await one.bus.notify(base.db, 'status', {
      ...change,
      status: 'successful',
      seq: 4,
      finished: '2026-11-21T10:00:00.123456Z',
    });
    for (const client of [a, b]) {
      await until(() => client.of('jobs').length >= 2);
      expect(client.of('jobs')).to.deep.equal([
        {
          group_name: 'jobs',
          unified_job_id: run.id,
          status: 'running',
          type: 'project_update',
          unified_job_template_id: 7,
          instance_group_name: null,
          project_id: 7,
          seq: 3,
        },
        {
          group_name: 'jobs',
          unified_job_id: run.id,
          status: 'successful',
          type: 'project_update',
          unified_job_template_id: 7,
          finished: '2026-11-21T10:00:00.123456Z',
          project_id: 7,
          seq: 4,
        },
      ]);
    }
    await settle(base.db, two, plain, { jobs: ['status_changed'] });
    expect(plain.of('jobs')).to.deep.equal([]);
  });

  it('sends events as they are stored on another node, then the summary', async () => {
    const run = await createRun(base.db);
    const client = await open(two);
    await client.subscribe({ job_events: [run.id], jobs: ['summary'] });
    const spool = createSpool();
    const executor = createRecordedExecutor({ state: 'running' });
    const outcome = follow({ db: one.db, run, spool, executor, bus: one.bus });
    spool.emit('playbook_on_start');
    spool.emit(
      'runner_on_ok',
      '\x1b[0;32mok: [a]\x1b[0m\n',
      { host: 'a', play: 'p', task: 't', res: { changed: false } },
      { parent_uuid: 'u1' },
    );
    executor.touch();
    await until(() => client.of('job_events').length === 2);
    expect(client.of('job_events')[1]).to.deep.equal({
      group_name: 'job_events',
      id: eventId(run.id, 2),
      job: run.id,
      counter: 2,
      uuid: 'u2',
      parent_uuid: 'u1',
      event: 'runner_on_ok',
      event_data: { host: 'a', play: 'p', task: 't', res: { changed: false } },
      event_level: 3,
      stdout: '\x1b[0;32mok: [a]\x1b[0m',
      start_line: 0,
      end_line: 1,
      failed: false,
      changed: false,
      play: 'p',
      role: '',
      task: 't',
      created: '2026-11-21T10:00:00.123456Z',
      modified: '2026-11-21T10:00:00.123456Z',
      url: `/api/v2/job_events/${eventId(run.id, 2)}`,
      seq: 2,
    });
    executor.state = recordedExit(0);
    executor.touch();
    await outcome;
    expect(await until(() => client.of('jobs')[0])).to.deep.equal({
      group_name: 'jobs',
      unified_job_id: run.id,
      final_counter: 2,
      seq: 2,
    });
    spool.remove();
  });

  it('thins out a flood but keeps its frame', async () => {
    const run = await createRun(base.db);
    const client = await open(two);
    await client.subscribe({ job_events: [run.id], jobs: ['summary'] });
    const spool = createSpool();
    for (let i = 0; i < 600; i += 1) spool.emit(i % 100 === 0 ? 'playbook_on_task_start' : 'runner_on_ok', `${i}\n`);
    spool.emit('playbook_on_stats', 'recap\n');
    const began = performance.now();
    await follow({ db: one.db, run, spool, bus: one.bus });
    spool.remove();
    await until(() => client.of('jobs')[0]);
    // thirty in each second of the clock that it took, and what a batch begun in one brings in the next
    const seconds = Math.ceil((performance.now() - began) / 1000);
    const events = client.of('job_events');
    expect(events.filter(({ event }) => event === 'playbook_on_task_start')).to.have.length(6);
    expect(events.at(-1)).to.include({ event: 'playbook_on_stats', counter: 601 });
    const ordinary = events.filter(({ event }) => event === 'runner_on_ok').length;
    expect(ordinary)
      .to.be.greaterThan(0)
      .and.at.most(30 * (seconds + 1));
    expect(events.map(({ counter }) => counter)).to.deep.equal(
      events.map(({ counter }) => counter).toSorted((a, b) => a - b),
    );
  });

  it('asks the database for nothing when nobody listens', async () => {
    const run = await createRun(base.db);
    let queries = 0;
    const count = () => void (queries += 1);
    two.db.on('query', count);
    const client = await open(two);
    await client.subscribe({ control: ['limit_reached_1'] });
    queries = 0;
    const spool = createSpool();
    spool.emit('runner_on_ok', 'text\n');
    await follow({ db: base.db, run, spool, bus: one.bus });
    spool.remove();
    await settle(base.db, two, client, {});
    two.db.off('query', count);
    expect(queries).to.equal(0);
  });

  it('tells what was missed while the bus was cut off', async () => {
    const run = await createRun(base.db);
    const client = await open(two);
    await client.subscribe({ job_events: [run.id], jobs: ['status_changed'] });
    await two.bus.notify(base.db, 'status', { run: run.id, kind: 'job', status: 'running', seq: 1, template: null });
    const spool = createSpool();
    const executor = createRecordedExecutor({ state: 'running' });
    const outcome = follow({ db: base.db, run, spool, executor, bus: one.bus });
    spool.emit('runner_on_ok', 'one\n');
    executor.touch();
    await until(() => client.of('job_events').length === 1);
    await base.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'tapline bus'`,
    );
    spool.emit('runner_on_ok', 'two\n');
    executor.touch();
    await until(() => client.of('job_events').some(({ stdout }) => stdout === 'two'));
    executor.state = recordedExit(0);
    executor.touch();
    await outcome;
    await base
      .db('runs')
      .where({ id: run.id })
      .update({ status: 'successful', status_seq: 2, modified: base.db.fn.now() });
    spool.remove();
  });

  it('tells it to those, too, who follow the parts of one run alone', async () => {
    const runs = base.db('runs');
    const [whole] = await runs.clone().insert({ kind: 'workflow_job', name: 'w', status: 'running' }).returning('id');
    const [part] = await runs
      .clone()
      .insert({ kind: 'job', name: 'p', status: 'running', parent_id: whole.id, parent_part: 7 })
      .returning('id');
    const client = await open(two);
    await client.subscribe({ workflow_events: [whole.id] });
    await runs.clone().where({ id: part.id }).update({ status: 'failed', status_seq: 3, modified: base.db.fn.now() });
    await base.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'tapline bus'`,
    );
    await until(() =>
      client.of('workflow_events').some(({ unified_job_id: id, status }) => id === part.id && status === 'failed'),
    );
    client.socket.close();
    await runs.clone().whereIn('id', [whole.id, part.id]).delete();
  });

  it('closes when the credentials end, and drops channels when the right does', async () => {
    // long enough for a busy machine to answer each check: who does not is taken for gone
    const node = await startNode(base.url, {}, 2500);
    const run = await createRun(base.db);
    const [bearer, keeper] = [await open(node, { authorization: `Bearer ${token}` }), await open(node)];
    await keeper.subscribe({ job_events: [run.id] });
    await base.db('runs').where({ id: run.id }).delete();
    await until(() =>
      keeper.messages.some(({ error }) => error === `access denied to channel job_events for resource id ${run.id}`),
    );
    await base.db('tokens').where({ user_id: admin }).delete();
    await until(() => bearer.closed() === 1008);
    expect(keeper.closed()).to.equal(null);
    await node.stop();
    await until(() => keeper.closed() === 1001);
  });
});
