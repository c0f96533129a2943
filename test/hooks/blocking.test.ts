import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { watchBlocking } from '../../core/observe/blocking.ts';
import { inSection } from '../../core/observe/section.ts';
import { until } from '../support/until.ts';

const spin = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end;);
};
const sleepHard = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('the watch over the event loop', function () {
  const seen: any[] = [];
  const figures: any[] = [];
  let end: () => Promise<void>;

  before(async () => {
    const log = { warn: (fields: any, text: string) => void seen.push({ ...fields, text }) };
    const metrics = { loopBlocked: { observe: (labels: any, value: number) => figures.push({ ...labels, value }) } };
    end = watchBlocking({ log: log as never, metrics: metrics as never });
    // the watcher is up once it has seen something
    await until(async () => {
      spin(700);
      await delay(100);
      return seen.length;
    });
  });
  after(() => end());
  beforeEach(() => {
    seen.length = 0;
    figures.length = 0;
  });

  const blocking: Record<string, () => unknown> = {
    'at once': () => spin(1500),
    'after waiting for something': async () => {
      await delay(20);
      spin(1500);
    },
    'in a timer that it left behind': () => void setTimeout(() => spin(1500), 20),
    'outside of JavaScript': () => sleepHard(1500),
  };
  for (const [how, block] of Object.entries(blocking)) {
    it(`names who blocks it ${how}, and for how long`, async () => {
      void inSection({ plugin: 'other', what: 'task waits' }, () => delay(3000, undefined, { ref: false }));
      // on a machine that does not run the watcher either, nobody is named: then it is tried again
      const found = await until(async () => {
        await inSection({ plugin: 'hog', what: 'task count' }, async () => block());
        await delay(200);
        return seen.find(({ plugin }) => plugin === 'hog');
      });
      expect(found).to.include({ plugin: 'hog', section: 'task count' });
      expect(found.milliseconds).to.be.greaterThan(1000);
      expect(found.text).to.contain('plugin hog, task count');
      expect(found.stack.join()).to.match(/(spin|sleepHard) file:.*blocking.test.ts:\d+/);
      expect(figures.some(({ plugin, section }) => plugin === 'hog' && section === 'task count')).to.equal(true);
      expect(seen.some(({ plugin }) => plugin === 'other')).to.equal(false);
    });
  }

  it('does not name a plugin for what core does', async () => {
    await inSection({ plugin: 'hog', what: 'task count' }, () => delay(5));
    const found = await until(async () => {
      spin(1500);
      await delay(200);
      return seen[0];
    });
    expect(found).to.include({ plugin: 'core', section: 'unknown' });
  });
});
