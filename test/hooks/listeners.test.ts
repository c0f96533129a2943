import type { MovedRun, RunStatus } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { createHooks } from '../../core/hooks/hooks.ts';
import { queueTaps } from '../../core/runs/followers/queue-taps.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';

describe('taps that say who listens', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
    await database.db.raw('create schema plugin_p; create table plugin_p.listening (organization_id bigint)');
  });
  after(() => database?.drop());

  /** Names of the tasks of runs of these organizations that change, with whose run each is about. */
  async function told(organizations: (number | null)[], to: RunStatus = 'running'): Promise<string[]> {
    const { db } = database;
    const hooks = createHooks({ log: silentLog });
    hooks.on('onStatusChange', { name: 'p:some', listeners: 'plugin_p.listening' }, () => undefined);
    hooks.on('onStatusChange', { name: 'p:all' }, () => undefined);
    hooks.on('afterFinish', { name: 'p:ends' }, () => undefined);
    const tasks: { name: string; payload: any }[] = [];
    const queue = { addTasks: async (_trx: unknown, more: readonly any[]) => void tasks.push(...more) };
    const runs = organizations.map((organization_id, index) => ({ id: index, kind: 'job', organization_id }));
    await db.transaction((trx) => queueTaps({ hooks, queue }).follow(trx, runs as unknown as MovedRun[], to));
    return tasks.map(({ name, payload }) => `${name.slice('p:hook:'.length)} ${payload.run_id ?? payload.run.id}`);
  }

  it('cost nothing where nobody does', async () => {
    expect(await told([1, 2, null])).to.have.members(['all 0', 'all 1', 'all 2']);
    await database.db.raw('insert into plugin_p.listening values (2), (2), (3)');
    expect(await told([1, 2, null])).to.have.members(['all 0', 'all 1', 'all 2', 'some 1']);
    expect(await told([2], 'successful')).to.have.members(['all 0', 'some 0', 'ends 0']);
    await database.db.raw('delete from plugin_p.listening');
  });

  it('are told of all where that cannot be read, or not soon', async () => {
    const holder = await database.db.transaction();
    try {
      await holder.raw('lock table plugin_p.listening');
      expect(await told([1])).to.have.members(['all 0', 'some 0']);
    } finally {
      await holder.rollback();
    }
    expect(await told([1])).to.have.members(['all 0']);
    await database.db.raw('alter table plugin_p.listening rename to away');
    expect(await told([1, null])).to.have.members(['all 0', 'some 0', 'all 1']);
  });
});
