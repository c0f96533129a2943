import { expect } from 'chai';
import type { Knex } from 'knex';
import { createRecordedExecutor } from '../../bench/lib/recorded-events.ts';
import { createRun, createSpool } from '../events/spool.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { bareLifecycle } from './bare-lifecycle.ts';

/** Rows of this table are refused, as by a server that is there. */
const refuse = (db: Knex, table: string) =>
  db.raw(`
    create or replace function refuse() returns trigger language plpgsql as $$ begin raise exception 'a secret text'; end $$;
    create trigger refuse before insert on ${table} for each row execute function refuse()`);

describe('a run that cannot be stored', () => {
  let base: TestDatabase;
  before(async () => void (base = await createTestDatabase()));
  after(() => base.drop());

  it('is ended as an error after a while, with the reason and what was stored, and so is its process', async () => {
    const { db } = base;
    const [node] = await db('instances').insert({ hostname: 'here', uuid: crypto.randomUUID() }).returning('*');
    const spool = createSpool();
    const executor = createRecordedExecutor({ state: 'running' });
    const ended: string[] = [];
    Object.assign(executor, { cleanup: async () => void ended.push('its process') });
    const run = await createRun(db, { instance_id: node.id, needs: 'engine', handle: JSON.stringify(spool.handle) });
    const lifecycle = bareLifecycle({ db, there: db, executor, kind: {}, giveUpAfterMs: 0 });
    lifecycle.bind(node);
    lifecycle.start(run.id);
    spool.emit('runner_on_ok', 'one\n');
    executor.touch();
    await until(async () => (await db('runs').where({ id: run.id }).first()).event_count === 1);
    await refuse(db, 'run_events');
    spool.emit('runner_on_ok', 'two\n');
    executor.touch();
    const over = await until(async () => {
      const row = await db('runs').where({ id: run.id }).first();
      return row.status === 'running' ? null : row;
    }, 30_000);
    expect(over.status).to.equal('error');
    expect(over.job_explanation).to.contain('could not be stored (P0001)').and.contain('1 events and 4 bytes');
    expect(over.job_explanation).to.not.contain('secret');
    expect(ended).to.deep.equal(['its process']);
    await lifecycle.stop();
    spool.remove();
  });
});
