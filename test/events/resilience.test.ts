import { expect } from 'chai';
import type { Knex } from 'knex';
import type { Bus } from '../../core/queue/bus.ts';
import { createRecordedExecutor, recordedExit } from '../../bench/lib/recorded-events.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { quietBus } from '../support/runs.ts';
import { until } from '../support/until.ts';
import { createHeardBus, createRun, createSpool, eventsOf, follow, type Spool, textOf } from './spool.ts';

/** A database whose every transaction meets the next trouble of the list, then works. */
function troubled(db: Knex, troubles: ('before' | 'inside' | 'after')[]): Knex {
  const transaction = async (work: (trx: Knex.Transaction) => Promise<unknown>) => {
    const trouble = troubles.shift();
    if (trouble === 'before') throw new Error('Connection terminated unexpectedly');
    const result = await db.transaction(async (trx) => {
      const value = await work(trx);
      if (trouble === 'inside') throw new Error('Connection terminated unexpectedly');
      return value;
    });
    // committed, but nobody was told
    if (trouble === 'after') throw new Error('Connection terminated unexpectedly');
    return result;
  };
  return new Proxy(db, { get: (target, key) => (key === 'transaction' ? transaction : Reflect.get(target, key)) });
}

describe('an ingest that is disturbed', () => {
  let base: TestDatabase;
  let spool: Spool;
  before(async () => void (base = await createTestDatabase()));
  after(() => base.drop());
  beforeEach(() => void (spool = createSpool()));
  afterEach(() => spool.remove());

  const write = (events: number) => {
    let text = '';
    for (let i = 1; i <= events; i += 1) {
      spool.print(`loose ${i}\n`);
      spool.emit('runner_on_ok', `ok ${i}\n`, { host: 'a', n: i });
      text += `loose ${i}\nok ${i}\n`;
    }
    return text;
  };
  const expectWhole = async (run: any, text: string) => {
    const rows = await eventsOf(base.db, run);
    expect(textOf(rows) === text, 'the text is whole').to.equal(true);
    expect(rows.map((row) => row.counter)).to.deep.equal(rows.map((_, i) => i + 1));
    const numbers = rows.filter((row) => row.event === 'runner_on_ok').map((row) => row.event_data.n);
    expect(numbers).to.deep.equal(numbers.map((_, i) => i + 1));
    return rows;
  };

  it('loses and doubles nothing when transactions fail before, inside and after their commit', async () => {
    const text = write(9000);
    const run = await createRun(base.db);
    const db = troubled(base.db, ['before', 'after', 'inside', 'after', 'before', 'inside', 'after']);
    await follow({ db, run, spool });
    await expectWhole(run, text);
  });

  it('stores everything once when two follow the same run', async () => {
    const run = await createRun(base.db);
    const executor = createRecordedExecutor({ state: 'running' });
    const { bus, heard, counters } = await createHeardBus(base);
    const followers = [1, 2, 3].map(() => follow({ db: base.db, run, spool, executor, bus }));
    let text = '';
    for (let i = 1; i <= 30; i += 1) {
      text += `line ${i}\n`;
      spool.emit('runner_on_ok', `line ${i}\n`, { n: i });
      executor.touch();
      if (i % 3 === 0) await until(async () => (await eventsOf(base.db, run)).length === i);
    }
    executor.state = recordedExit(0);
    executor.touch();
    const outcomes = await Promise.all(followers);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['successful', 'successful', 'successful']);
    await expectWhole(run, text);
    await until(() => heard.filter(({ final }) => final).length === 3);
    expect(counters().toSorted((a, b) => a - b)).to.deep.equal(Array.from({ length: 30 }, (_, i) => i + 1));
    await bus.stop();
  });

  it('goes on when its database connections are cut again and again', async () => {
    const run = await createRun(base.db);
    const executor = createRecordedExecutor({ state: 'running' });
    const outcome = follow({ db: base.db, run, spool, executor });
    let text = '';
    for (let round = 0; round < 5; round += 1) {
      const from = round * 300;
      for (let i = from + 1; i <= from + 300; i += 1) {
        text += `line ${i}\n`;
        spool.emit('runner_on_ok', `line ${i}\n`, { n: i });
      }
      executor.touch();
      await base.pool.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
    }
    executor.state = recordedExit(0);
    executor.touch();
    await outcome;
    await expectWhole(run, text);
  });

  it('is taken over in the middle by another process', async () => {
    const text = write(9000);
    const run = await createRun(base.db);
    const stop = new AbortController();
    let batches = 0;
    const bus: Bus = { ...quietBus, notify: async () => void (++batches === 1 && stop.abort()) };
    const first = await follow({ db: base.db, run, spool, signal: stop.signal, bus }).then(
      () => 'ended',
      (error) => error.name,
    );
    expect(first).to.equal('AbortError');
    const before = await eventsOf(base.db, run);
    expect(before.length).to.be.greaterThan(0).and.lessThan(18_000);
    await follow({ db: base.db, run, spool });
    const rows = await expectWhole(run, text);
    expect(rows.slice(0, before.length)).to.deep.equal(before);
  });

  it('makes the partition again when it was dropped between two batches', async () => {
    const run = await createRun(base.db);
    await base.db.raw('select ensure_event_partition(?)', [run.id]);
    const executor = createRecordedExecutor({ state: 'running' });
    const outcome = follow({ db: base.db, run, spool, executor });
    await base.db.raw('drop table ??', [`run_events_${Math.floor(run.id / 10_000) * 10_000}`]);
    spool.emit('runner_on_ok', 'text\n');
    executor.touch();
    await until(async () => (await eventsOf(base.db, run)).length === 1);
    executor.state = recordedExit(0);
    executor.touch();
    await outcome;
  });

  it('ends when the run is deleted meanwhile', async () => {
    const run = await createRun(base.db);
    const executor = createRecordedExecutor({ state: 'running' });
    const outcome = follow({ db: base.db, run, spool, executor }).then(
      () => 'ended',
      (error) => error.message,
    );
    await base.db('runs').where({ id: run.id }).delete();
    spool.emit('runner_on_ok', 'text\n');
    executor.touch();
    expect(await outcome).to.equal(`run ${run.id} was deleted while it was followed`);
  });
});
