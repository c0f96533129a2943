import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { createRun } from '../events/spool.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { connect, startNode, type TestNode } from './stage.ts';

const tokenOf = (name: string) => `svc_${name.padEnd(43, '0')}`;
const bearer = (name: string) => ({ authorization: `Bearer ${tokenOf(name)}` });

describe('a WebSocket client that was away', () => {
  let base: TestDatabase;
  let node: TestNode;
  before(async () => {
    base = await createTestDatabase();
    for (const username of ['admin', 'plain']) {
      const [user] = await base
        .db('users')
        .insert({ username, is_superuser: username === 'admin' })
        .returning('id');
      const token_hash = createHash('sha256').update(tokenOf(username)).digest();
      await base.db('tokens').insert({ user_id: user.id, token_hash, expires: '3000-01-01' });
    }
    node = await startNode(base.url);
  });
  after(async () => {
    await node.stop();
    await base.drop();
  });

  const runWith = async (events: number, more: object = {}) => {
    const run = await createRun(base.db, { event_count: events, status_seq: 3, ...more });
    await base.db.raw('select ensure_event_partition(?)', [run.id]);
    await base.db.raw(
      `insert into run_events (run_id, counter, event, stdout) select ?, n, 'runner_on_ok', 'line ' || n from generate_series(1, ?) n`,
      [run.id, events],
    );
    return run.id as number;
  };
  const resumed = async (groups: object, resume: unknown, who = 'admin') => {
    const client = await connect(node, bearer(who));
    client.send({ groups, resume });
    await until(() => client.messages.some((message) => 'resumed' in message || 'error' in message));
    client.socket.terminate();
    return client;
  };
  const told = (client: { messages: any[] }) => client.messages.find((message) => 'resumed' in message)?.resumed;

  it('is sent the events after the one that it saw last, in their order, as if it had been there', async () => {
    const run = await runWith(9);
    const client = await resumed({ job_events: [run] }, { job_events: { [run]: 6 } });
    expect(client.of('job_events').map(({ seq, stdout, job }) => [seq, stdout, job])).to.deep.equal([
      [7, 'line 7', run],
      [8, 'line 8', run],
      [9, 'line 9', run],
    ]);
    expect(told(client)).to.deep.equal({ job_events: { [run]: { seq: 9, missed: 0 } } });
  });

  it('is sent a thousand at most, and told how many it has to read elsewhere', async () => {
    const [long, other] = [await runWith(1500), await runWith(5)];
    const client = await resumed({ job_events: [long, other] }, { job_events: { [long]: 100, [other]: 1 } });
    expect(client.of('job_events')).to.have.lengthOf(1000);
    expect(told(client)).to.deep.equal({
      job_events: { [long]: { seq: 1100, missed: 400 }, [other]: { seq: 1, missed: 4 } },
    });
  });

  it('is sent each event once and in order, in whatever order nodes tell of them and whatever was told to nobody', async () => {
    const run = await runWith(6);
    const client = await connect(node, bearer('admin'));
    client.send({ groups: { job_events: [run] } });
    await until(() => client.messages.some((message) => 'groups_current' in message));
    const stored = (from: number, to: number) => node.bus.notify(base.db, 'events', { run, kind: 'job', from, to });
    await stored(1, 1);
    await until(() => client.of('job_events').length === 1);
    // 2 was stored while nobody could listen; what a node that was cut off tells comes late, and again
    for (const counter of [3, 2, 4, 3, 6, 5]) await stored(counter, counter);
    await until(() => client.of('job_events').length >= 6);
    client.socket.terminate();
    expect(client.of('job_events').map(({ seq }) => seq)).to.deep.equal([1, 2, 3, 4, 5, 6]);
  });

  it('is sent how the runs stand that it followed, and those that came since', async () => {
    const [unchanged, ended] = [await runWith(0), await runWith(0, { status: 'successful', status_seq: 5 })];
    const since = await runWith(0, { status: 'pending', status_seq: 1 });
    await runWith(0, { status: 'new', status_seq: 0 });
    const client = await resumed({ jobs: ['status_changed'] }, { jobs: { [unchanged]: 3, [ended]: 4 } });
    expect(client.of('jobs').map((one) => [one.unified_job_id, one.status, one.seq])).to.deep.equal([
      [ended, 'successful', 5],
      [since, 'pending', 1],
    ]);
    expect(told(client)).to.deep.equal({ jobs: { complete: true } });
  });

  it('is told on whose account a run goes, as those who were there', async () => {
    const [group] = await base.db('instance_groups').insert({ name: 'racks' }).returning('id');
    const run = await runWith(0, { status: 'running', instance_group_id: group.id });
    const client = await resumed({ jobs: ['status_changed'] }, { jobs: { [run]: 1 } });
    expect(client.of('jobs').map((one) => [one.unified_job_id, one.instance_group_name])).to.deep.equal([
      [run, 'racks'],
    ]);
  });

  it('is sent nothing of what it does not listen to or may not see', async () => {
    const run = await runWith(3);
    const client = await resumed(
      { job_events: [run], jobs: ['status_changed'] },
      { job_events: { [run]: 0 }, jobs: { [run]: 0 }, nonsense: { 1: 1 } },
      'plain',
    );
    expect(client.messages.filter(({ group_name: group }) => group)).to.deep.equal([]);
    const elsewhere = await resumed({ jobs: ['summary'] }, { job_events: { [run]: 0 }, jobs: { [run]: 0 } });
    expect(elsewhere.messages.filter(({ group_name: group }) => group)).to.deep.equal([]);
    expect(told(elsewhere)).to.deep.equal({});
  });

  it('is told what is wrong with what it says it saw, and nothing else happens', async () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [index + 1, 0]));
    for (const resume of [
      7,
      [],
      'x',
      { jobs: 3 },
      { jobs: { a: 1 } },
      { jobs: { 1: -1 } },
      { jobs: { 1: '1e9' } },
      { jobs: many },
    ]) {
      const client = await resumed({ jobs: ['summary'] }, resume);
      expect(client.messages.at(-1).error, JSON.stringify(resume)).to.match(/^resume /);
      expect(client.messages.some((message) => 'groups_current' in message)).to.equal(false);
    }
  });
});
