import { expect } from 'chai';
import { sweepEnded } from '../../core/runner/sweep.ts';
import { createRun } from '../events/spool.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';

describe('what runs left behind', () => {
  let base: TestDatabase;
  before(async () => void (base = await createTestDatabase()));
  after(() => base.drop());

  it('is removed where they are over or deleted, and stays where they run', async () => {
    const { db } = base;
    const over = await createRun(db, { status: 'failed', finished: db.fn.now() });
    const running = await createRun(db);
    const deleted = 900_000;
    const removed: number[] = [];
    const executor = {
      held: async () => [over.id, running.id, deleted],
      recover: async (run: number) => ({ executor: 'local', workspace: '/nowhere', run }),
      cleanup: async (handle: Record<string, unknown>) => void removed.push(handle['run'] as number),
    };
    await sweepEnded({ db, executor, log: silentLog });
    expect(removed).to.have.members([over.id, deleted]);
  });
});
