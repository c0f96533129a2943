import { expect } from 'chai';
import { deleteRunEvents, dropEmptyPartitions, ensurePartition } from '../../core/events/partitions.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';
import { createRun } from './spool.ts';

describe('partitions of events', () => {
  let base: TestDatabase;
  before(async () => void (base = await createTestDatabase()));
  after(() => base.drop());

  const names = async () =>
    (
      await base.db.raw(
        `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'run_events'::regclass order by 1`,
      )
    ).rows.map((row: any) => row.name);

  it('are made once, by whoever comes first', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, (_, i) => ensurePartition(base.db, 20_000 + i)));
    expect(new Set(made)).to.deep.equal(new Set(['run_events_20000']));
    expect(await names()).to.include('run_events_20000');
    const { rows } = await base.db.raw(`select count(*) from pg_indexes where tablename = 'run_events_20000'`);
    expect(Number(rows[0].count)).to.equal(4);
  });

  it('are dropped when all their runs are gone, and none that runs to come will use', async () => {
    const run = await createRun(base.db, { id: 35_000 });
    const gone = await createRun(base.db, { id: 45_000 });
    await createRun(base.db, { id: 58_000 });
    for (const id of [35_000, 45_000, 58_000, 65_000]) await ensurePartition(base.db, id);
    await base.db('run_events').insert([run, gone].map(({ id }) => ({ run_id: id, counter: 1, event: 'verbose' })));
    await deleteRunEvents(base.db, [gone.id]);
    expect(await base.db('run_events').select('run_id')).to.deep.equal([{ run_id: run.id }]);
    await base.db('runs').where({ id: gone.id }).delete();
    expect(await dropEmptyPartitions(base.db, silentLog)).to.deep.equal(['run_events_20000', 'run_events_40000']);
    expect(await names()).to.deep.equal(['run_events_30000', 'run_events_50000', 'run_events_60000']);
  });

  it('are left for the next time when somebody reads', async () => {
    await base.db('runs').delete();
    await createRun(base.db, { id: 99_000 });
    const reader = await base.db.transaction();
    await reader('run_events').first();
    expect(await dropEmptyPartitions(base.db, silentLog)).to.deep.equal([]);
    await reader.commit();
    expect(await dropEmptyPartitions(base.db, silentLog)).to.deep.equal([
      'run_events_30000',
      'run_events_50000',
      'run_events_60000',
    ]);
  });
});
