import { expect } from 'chai';
import { type PluginApi, type Task, z } from '@tapline/plugin-sdk';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('the clock of a plugin', function () {
  let service: TestService;
  const ran: unknown[] = [];
  let api: PluginApi;
  let sweep: Task<{ days: number }>;

  before(async () => {
    service = await bootWith({
      plugins: [
        testPlugin('clock', (door) => {
          api = door;
          const task = (sweep = api.task('sweep', { schema: z.strictObject({ days: z.number() }) }, async (payload) => {
            ran.push(payload);
          }));
          api.websocket.group({ name: 'clock', join: () => true });
          api.cron({ task, match: '0 3 1 1 *', payload: { days: 7 } });
        }),
      ],
    });
  });
  after(() => service.stop());

  it('is known to the queue under the name of the task', async () => {
    const known = async () => service.services.db('tapline_jobs._private_known_crontabs').pluck('identifier');
    await until(async () => (await known()).includes('clock:sweep'));
  });

  it('runs the task with its payload, without what the clock adds', async () => {
    const due = { days: 7, _cron: { ts: '2026-01-01T03:00:00.000Z', backfilled: false } };
    await service.services.db.raw(`select tapline_jobs.add_job('clock:sweep', ?::json)`, [JSON.stringify(due)]);
    await until(() => ran.length > 0);
    expect(ran).to.deep.equal([{ days: 7 }]);
  });

  it('says what is missing where a task is enqueued, or a message sent, without a connection', async () => {
    const reason = (work: Promise<void>) => work.then(String, (error: Error) => error.message);
    expect(await reason(sweep.enqueue(undefined as never, { days: 1 }))).to.equal(
      'plugin clock: api.task("sweep").enqueue was given no connection as its first argument: give it the transaction of the change, or api.db',
    );
    expect(await reason(sweep.enqueueAll([{ days: 1 }] as never, [{ days: 1 }]))).to.contain('was given no connection');
    expect(await reason(api.websocket.publish(undefined as never, 'clock', 1, {}))).to.contain(
      'api.websocket.publish("clock") was given no connection',
    );
    await sweep.enqueue(api.db, { days: 2 });
    await until(() => ran.length > 1);
  });
});
