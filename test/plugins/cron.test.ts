import { expect } from 'chai';
import { z } from 'zod';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('the clock of a plugin', function () {
  this.timeout(120_000);
  let service: TestService;
  const ran: unknown[] = [];

  before(async () => {
    service = await bootWith({
      plugins: [
        testPlugin('clock', (api) => {
          const task = api.task('sweep', { schema: z.strictObject({ days: z.number() }) }, async (payload) => {
            ran.push(payload);
          });
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
});
