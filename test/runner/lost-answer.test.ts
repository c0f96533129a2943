import { expect } from 'chai';
import type { Knex } from 'knex';
import { createRecordedExecutor } from '../../bench/lib/recorded-events.ts';
import { createRun, createSpool } from '../events/spool.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { bareLifecycle } from './bare-lifecycle.ts';

/** The first transaction is committed, and the connection breaks before anybody hears so. */
function losingAnswers(db: Knex): { db: Knex; lost: () => number } {
  let lost = 0;
  const transaction = async (work: (trx: Knex.Transaction) => Promise<unknown>) => {
    const done = await db.transaction(work);
    if (lost > 0) return done;
    lost += 1;
    throw new Error('Connection terminated unexpectedly');
  };
  return {
    db: new Proxy(db, { get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)) }),
    lost: () => lost,
  };
}

describe('a run whose start was recorded, though nobody heard so', () => {
  let base: TestDatabase;
  before(async () => void (base = await createTestDatabase()));
  after(() => base.drop());

  it('goes on, and is followed', async () => {
    const [node] = await base.db('instances').insert({ hostname: 'here', uuid: crypto.randomUUID() }).returning('*');
    const { db, lost } = losingAnswers(base.db);
    const spool = createSpool();
    const executor = createRecordedExecutor({ state: 'running' });
    const ended: string[] = [];
    Object.assign(executor, {
      start: async () => spool.handle,
      cancel: async () => void ended.push('canceled'),
      cleanup: async () => void ended.push('removed'),
    });
    const run = await createRun(base.db, { instance_id: node.id, needs: 'engine', status: 'waiting', handle: null });
    const kind = { prepare: async () => ({ spec: {}, secrets: [], columns: () => ({}) }) };
    const lifecycle = bareLifecycle({ db, there: base.db, executor, kind });
    lifecycle.bind(node);
    lifecycle.start(run.id);
    await until(lost);
    spool.emit('runner_on_ok', 'one\n');
    const followed = await until(async () => {
      executor.touch();
      const row = await base.db('runs').where({ id: run.id }).first();
      return row.event_count === 1 || ended.length ? row : null;
    }, 30_000);
    expect(ended).to.deep.equal([]);
    expect(followed).to.include({ status: 'running', event_count: 1 });
    await lifecycle.stop();
    spool.remove();
  });
});
