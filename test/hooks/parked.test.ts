import { expect } from 'chai';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Plugin, Task } from '@tapline/plugin-sdk';
import { checkPlugins } from '../../core/app/doctor/plugins.ts';
import { deleteTasksOf } from '../../core/queue/parked.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

describe('tasks of a plugin that is off', function () {
  let database: TestDatabase;
  let dataDir: string;
  let service: TestService;
  let task: Task<{ n: number }>;
  let broken = true;
  const ran: unknown[] = [];

  const drift = testPlugin('drift', (api) => {
    task = api.task('capture', { schema: z.object({ n: z.number() }) }, async ({ n }) => {
      if (broken) throw new Error('not now');
      ran.push(n);
    });
    api.hooks.onStatusChange({ name: 'watch' }, (change) => {
      if (broken) throw new Error('not now');
      ran.push(change.to);
    });
  });
  const other = testPlugin('other', (api) => {
    api.hooks.onStatusChange({ name: 'note' }, (change) => void ran.push(`other ${change.to}`));
  });

  const bootWithout = async (...plugins: Plugin[]) => {
    service = await bootWith({ plugins, database, dataDir });
  };
  const waiting = () =>
    database
      .db('tapline_jobs.jobs')
      .where('task_identifier', 'like', 'drift:%')
      .orderBy('id')
      .select('task_identifier', 'attempts', 'locked_at');
  const change = async (to: 'pending' | 'failed') => {
    const { db, statuses } = service.services;
    const [run] = await db('runs').insert({ kind: 'job', name: 'x' }).returning('id');
    await db.transaction((trx) => statuses.setStatus(trx, run, to));
  };

  before(async () => {
    database = await createTestDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tapline-parked-'));
    await bootWithout(drift, other);
    await task.enqueue(service.services.db, { n: 1 });
    await change('failed');
    // each has failed once, and would be tried again in some seconds
    await until(
      async () => (await waiting()).filter(({ attempts, locked_at: locked }) => attempts && !locked).length === 2,
    );
    await service.stop();
  });
  after(async () => {
    await service.stop();
    await database.drop();
    removeFolder(dataDir);
  });

  it('wait without using up attempts, and keep nobody else from running', async () => {
    const before = await waiting();
    await bootWithout(other);
    await database.db.raw(`update tapline_jobs._private_jobs set run_at = now()`);
    ran.length = 0;
    await change('failed');
    await until(() => ran.includes('other failed'));
    expect(await waiting()).to.deep.equal(before);
  });

  it('are counted for the operator, by plugin and task', async () => {
    const { queue, db, config } = service.services;
    const [parked] = await queue.parked(db);
    expect(parked).to.deep.include({ plugin: 'drift', count: 2, tasks: ['drift:capture', 'drift:hook:watch'] });
    expect(parked!.oldest).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const told = await checkPlugins({ ...config, databaseUrl: database.url });
    expect(told.map(({ what }) => what).join('\n')).to.match(/2 tasks wait for plugin drift .*drift:hook:watch/);
    await service.stop();
  });

  it('run when it is on again', async () => {
    broken = false;
    ran.length = 0;
    await bootWithout(drift, other);
    await until(() => ran.length === 2);
    expect(ran).to.have.members([1, 'failed']);
    expect(await service.services.queue.parked(service.services.db)).to.deep.equal([]);
  });

  it('can be dropped where it does not come back', async () => {
    await service.stop();
    await bootWithout(other);
    const { db } = service.services;
    await db.raw(`select tapline_jobs.add_job('drift:capture', '{"n": 2}')`);
    await db.raw(`select tapline_jobs.add_job('driftwood:capture', '{"n": 2}')`);
    expect(await deleteTasksOf(db, 'drift')).to.equal(1);
    expect((await service.services.queue.parked(db)).map(({ plugin }) => plugin)).to.deep.equal(['driftwood']);
  });
});
