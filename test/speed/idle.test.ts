import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startService, type TestService } from '../support/service.ts';

/** Of a minute's clocks none strikes twice in it; those of a few seconds do. */
const secondsWatched = 5;
/** Signs of life, the looks of the dispatcher and of two plugins. */
const mostPerSecond = 6;

describe('a service that nobody uses', function () {
  this.timeout(120_000);
  let service: TestService;
  before(async () => {
    const bundled = readdirSync(new URL('../../plugins/', import.meta.url));
    service = await startService({ TAPLINE_PLUGINS: bundled.join(',') });
  });
  after(() => service?.stop());

  it('asks little of its database, with every bundled plugin', async () => {
    const asked: string[] = [];
    const { db } = service.services;
    const look = ({ sql }: { sql: string }) => void asked.push(sql.slice(0, 100));
    // what a start does by itself is done
    await delay(secondsWatched * 1000);
    db.on('query', look);
    await delay(secondsWatched * 1000);
    db.off('query', look);
    expect(asked.length, asked.join('\n')).to.be.below(secondsWatched * mostPerSecond);
  });
});
