import { expect } from 'chai';
import { createRecordedExecutor } from '../../bench/lib/recorded-events.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createRun, createSpool, eventsOf, follow, type Spool } from './spool.ts';

describe('what a run leaves behind', () => {
  let base: TestDatabase;
  let spool: Spool;
  let inventory: number;
  let hosts: Record<string, number>;
  before(async () => {
    base = await createTestDatabase();
    [{ id: inventory }] = await base.db('inventories').insert({ name: 'inventory' }).returning('id');
    const rows = await base
      .db('hosts')
      .insert(['a', 'b', 'c'].map((name) => ({ name, inventory_id: inventory })))
      .returning(['id', 'name']);
    hosts = Object.fromEntries(rows.map(({ id, name }) => [name, id]));
  });
  after(() => base.drop());
  beforeEach(() => void (spool = createSpool()));
  afterEach(() => spool.remove());

  const play = () => {
    const book = spool.emit('playbook_on_start');
    const top = spool.emit('playbook_on_play_start', 'PLAY [all]\n', { play: 'all' }, { parent_uuid: book });
    const fine = spool.emit(
      'playbook_on_task_start',
      'TASK [fine]\n',
      { play: 'all', task: 'fine' },
      { parent_uuid: top },
    );
    spool.emit('runner_on_ok', 'ok: [a]\n', { host: 'a', res: { changed: false } }, { parent_uuid: fine });
    const bad = spool.emit(
      'playbook_on_task_start',
      'TASK [bad]\n',
      { play: 'all', task: 'bad' },
      { parent_uuid: top },
    );
    spool.emit(
      'runner_on_failed',
      'fatal: [b]\n',
      { host: 'b', res: { msg: 'no', changed: true } },
      { parent_uuid: bad },
    );
    spool.emit('runner_on_failed', 'ignored: [a]\n', { host: 'a', ignore_errors: true, res: {} }, { parent_uuid: bad });
    spool.emit(
      'runner_on_unreachable',
      'unreachable: [gone]\n',
      { host: 'gone', res: { unreachable: true } },
      { parent_uuid: bad },
    );
    const counts = {
      ok: { a: 2 },
      changed: { b: 1 },
      failures: { b: 1 },
      dark: { gone: 1 },
      ignored: { a: 1 },
      processed: { a: 1, b: 1, gone: 1 },
      rescued: {},
      skipped: {},
    };
    spool.emit(
      'playbook_on_stats',
      'PLAY RECAP\n',
      { ...counts, artifact_data: { version: '1', bad: 'n\0l' } },
      { parent_uuid: book },
    );
  };

  it('summaries per host, counts of the run, artifacts, and the hosts point at the run', async () => {
    play();
    const run = await createRun(base.db, { inventory_id: inventory });
    const outcome = await follow({ db: base.db, run, spool });
    expect(outcome).to.deep.include({
      host_status_counts: { ok: 1, failures: 1, dark: 1 },
      play_count: 1,
      task_count: 2,
      artifacts: { version: '1', bad: 'n\ufffdl' },
    });
    const rows = await base.db('job_host_summaries').where({ run_id: run.id }).orderBy('host_name');
    expect(rows.map((row) => [row.host_name, row.host_id, row.ok, row.failures, row.dark, row.failed])).to.deep.equal([
      ['a', hosts.a, 2, 0, 0, false],
      ['b', hosts.b, 0, 1, 0, true],
      ['gone', null, 0, 0, 1, true],
    ]);
    const [a, c] = await base.db('hosts').whereIn('name', ['a', 'c']).orderBy('name');
    expect(a).to.include({ last_job_id: run.id, last_job_host_summary_id: rows[0].id });
    expect(c.last_job_id).to.equal(null);
  });

  it('failed and changed rise to the ancestors', async () => {
    play();
    const run = await createRun(base.db, { inventory_id: inventory });
    await follow({ db: base.db, run, spool });
    const flags = (await eventsOf(base.db, run)).map((row) => [row.event, row.task, row.failed, row.changed]);
    expect(flags).to.deep.equal([
      ['playbook_on_start', '', true, true],
      ['playbook_on_play_start', '', true, true],
      ['playbook_on_task_start', 'fine', false, false],
      ['runner_on_ok', '', false, false],
      ['playbook_on_task_start', 'bad', true, true],
      ['runner_on_failed', '', true, true],
      ['runner_on_failed', '', false, false],
      ['runner_on_unreachable', '', true, false],
      ['playbook_on_stats', '', true, true],
    ]);
  });

  it('a chain of forged parents is followed no higher than plays are', async () => {
    for (let i = 1; i <= 3000; i += 1)
      spool.emit('playbook_on_task_start', '', { task: `${i}` }, { uuid: `f${i}`, parent_uuid: `f${i - 1}` });
    spool.emit('runner_on_failed', '', { host: 'a' }, { parent_uuid: 'f3000' });
    spool.emit('playbook_on_stats', '', { failures: { a: 1 } });
    const run = await createRun(base.db);
    await follow({ db: base.db, run, spool });
    const failed = await base.db('run_events').where({ run_id: run.id, failed: true }).orderBy('counter').pluck('task');
    expect(failed).to.deep.equal(['2997', '2998', '2999', '3000', '', '']);
  });

  it('an older run that ends later does not take the hosts over', async () => {
    const older = await createRun(base.db, { inventory_id: inventory });
    const newer = await createRun(base.db, { inventory_id: inventory });
    spool.emit('playbook_on_stats', '', { ok: { c: 1 } });
    await follow({ db: base.db, run: newer, spool });
    await follow({ db: base.db, run: older, spool });
    expect(await base.db('hosts').where({ name: 'c' }).first('last_job_id')).to.deep.equal({ last_job_id: newer.id });
  });

  it('artifacts set under no_log are a marker', async () => {
    spool.emit('playbook_on_stats', '', { artifact_data: { token: 'canary', _ansible_no_log: true } });
    const run = await createRun(base.db);
    const { artifacts } = await follow({ db: base.db, run, spool });
    expect(artifacts)
      .to.be.a('string')
      .and.match(/^\$hidden/);
  });

  describe('facts', () => {
    const documentOf = async (host: string) => {
      const row = await base
        .db('host_facts as h')
        .join('facts as f', 'f.hash', 'h.hash')
        .where('h.host_id', hosts[host])
        .first('f.document', 'h.hash', 'h.run_id');
      return row ?? null;
    };
    const gather = async (fields: Record<string, unknown> = {}) => {
      const run = await createRun(base.db, { inventory_id: inventory, use_fact_cache: true, ...fields });
      return { run, outcome: await follow({ db: base.db, run, spool, secrets: ['fact-canary'] }) };
    };

    it('are stored once per content, whatever the order of keys, and only changes are reported', async () => {
      spool.fact('a', { x: 1, y: { b: 2, a: [1] }, secret: 'has fact-canary', nul: '\0' });
      spool.fact('b', '{"y":{"a":[1],"b":2},"nul":"\\u0000","secret":"has fact-canary","x":1}');
      spool.fact('nobody', { x: 1 });
      spool.fact('c', '{"torn": ');
      const first = await gather();
      expect(first.outcome.facts.map(({ host_id, old_hash }) => [host_id, old_hash])).to.deep.equal([
        [hosts.a, null],
        [hosts.b, null],
      ]);
      const a = await documentOf('a');
      expect(a.document).to.deep.equal({ x: 1, y: { b: 2, a: [1] }, secret: 'has $encrypted$', nul: '\ufffd' });
      expect((await documentOf('b')).hash).to.equal(a.hash);

      spool.fact('b', { x: 2 });
      const second = await gather();
      expect(second.outcome.facts).to.deep.equal([
        { host_id: hosts.b, old_hash: a.hash, new_hash: (await documentOf('b')).hash },
      ]);
      const again = await follow({ db: base.db, run: second.run, spool, secrets: ['fact-canary'] });
      expect(again.facts).to.deep.equal(second.outcome.facts);
    });

    it('that the run removed are cleared, but not by a run that was killed', async () => {
      spool.fact('a', { x: 3 });
      spool.fact('b', { x: 3 });
      await gather();
      spool.forget('b');
      const run = await createRun(base.db, { inventory_id: inventory, use_fact_cache: true });
      await follow({ db: base.db, run, spool, executor: createRecordedExecutor({ state: 'lost', detail: '' }) });
      expect(await documentOf('b')).not.to.equal(null);
      await gather();
      expect(await documentOf('b')).to.equal(null);
      expect(await documentOf('a')).not.to.equal(null);
    });

    it('are left alone by a run without the fact cache', async () => {
      spool.fact('a', { x: 99 });
      const { outcome } = await gather({ use_fact_cache: false });
      expect(outcome.facts).to.deep.equal([]);
      expect((await documentOf('a')).document).to.deep.equal({ x: 3 });
    });
  });

  it('each end has its status and says why', async () => {
    const started = new Date().toISOString();
    const exit = (fields: object) => ({
      state: 'exited' as const,
      exit: { rc: null, signal: null, reason: 'exit' as const, detail: '', started, finished: started, ...fields },
    });
    const cases = [
      [exit({ rc: 0 }), 'successful'],
      [exit({ rc: 2 }), 'failed'],
      [exit({ reason: 'canceled' }), 'canceled'],
      [exit({ reason: 'timeout' }), 'failed'],
      [exit({ reason: 'disk_full' }), 'error'],
      [exit({ reason: 'start_failed', detail: 'no engine' }), 'error'],
      [exit({ reason: 'killed', signal: 'SIGKILL' }), 'error'],
      [{ state: 'lost' as const, detail: 'gone' }, 'error'],
    ] as const;
    for (const [status, expected] of cases) {
      const outcome = await follow({
        db: base.db,
        run: await createRun(base.db),
        spool,
        executor: createRecordedExecutor(status),
      });
      expect(outcome.status).to.equal(expected);
      if (expected === 'error') expect(outcome.explanation).not.to.equal('');
    }
  });
});
