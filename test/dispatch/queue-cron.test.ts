import { expect } from 'chai';
import { z } from 'zod';
import { definePluginCron, definePluginTask } from '../../core/queue/plugin-tasks.ts';
import { createQueue, type Queue } from '../../core/queue/queue.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';
import { until } from '../support/until.ts';

describe("the queue's clock", function () {
  let database: TestDatabase;
  let queue: Queue;

  before(async () => {
    database = await createTestDatabase();
    const real = createQueue({ pool: database.pool, log: silentLog });
    // missed once, so that the test need not wait for the minute
    const missed = (item: Parameters<Queue['cron']>[0]) =>
      real.cron({ ...item, options: { ...item.options, backfillPeriod: 120_000 } });
    queue = { ...real, cron: missed };
    await queue.migrate();
    const schema = z.object({});
    const run = async () => {
      throw new Error('broken');
    };
    definePluginTask(queue, { plugin: 'p', name: 'p:some', options: { schema, maxAttempts: 3, priority: 7 }, run });
    definePluginTask(queue, { plugin: 'p', name: 'p:usual', options: { schema }, run });
    for (const name of ['p:some', 'p:usual']) definePluginCron(queue, { task: { name } as never, match: '* * * * *' });
    await database.db.raw(
      `insert into tapline_jobs._private_known_crontabs (identifier, known_since, last_execution)
       select name, now() - interval '1 hour', now() - interval '90 seconds' from unnest(array['p:some', 'p:usual']) as name`,
    );
    await queue.start();
  });
  after(async () => {
    await queue.stop();
    await database.drop();
  });

  it('enqueues a task with the attempts and the priority that it was defined with', async () => {
    const jobs = await until(async () => {
      // each minute that strikes adds another of each
      const rows = await database
        .db('tapline_jobs.jobs')
        .distinct('task_identifier', 'max_attempts', 'priority')
        .orderBy('task_identifier');
      return rows.length === 2 ? rows : undefined;
    });
    expect(jobs.map((job: object) => Object.values(job))).to.deep.equal([
      ['p:some', 3, 7],
      ['p:usual', 12, 0],
    ]);
  });
});
