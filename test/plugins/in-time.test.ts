import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { expect } from 'chai';
import { inTime } from '@tapline/plugin-sdk';

describe('a limited time', () => {
  const late = (stopped: boolean) => new Error(stopped ? 'stopped' : 'late');
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing failed',
      (error: Error) => error.message,
    );
  const hang = () => new Promise<never>(() => undefined);
  /** What ends when it is told to. */
  const obedient = async (signal: AbortSignal) => {
    if (!signal.aborted) await once(signal, 'abort');
    return 'done';
  };

  it('gives back what the work answers or throws', async () => {
    expect(await inTime(() => 1, { ms: 1000, late })).to.equal(1);
    expect(await failure(inTime(() => Promise.reject(new Error('its own')), { ms: 1000, late }))).to.equal('its own');
  });

  it('ends with the error that was made for it, and tells the work', async () => {
    let told: AbortSignal | undefined;
    const work = (signal: AbortSignal) => {
      told = signal;
      return obedient(signal);
    };
    expect(await failure(inTime(work, { ms: 5, late })), 'an answer that comes then is too late').to.equal('late');
    expect(told!.aborted).to.equal(true);
    expect(told!.reason.message).to.equal('late');
  });

  it('ends at once when whoever waits stops, or after a grace', async () => {
    const stop = new AbortController();
    const hanging = failure(inTime(hang, { ms: 60_000, late, signal: stop.signal }));
    const graced = failure(inTime(hang, { ms: 60_000, late, signal: stop.signal, graceMs: 5 }));
    const answered = inTime(obedient, { ms: 60_000, late, signal: stop.signal, graceMs: 60_000 });
    stop.abort();
    expect(await hanging).to.equal('stopped');
    expect(await graced).to.equal('stopped');
    expect(await answered).to.equal('done');
    expect(await failure(inTime(hang, { ms: 60_000, late, signal: stop.signal })), 'stopped before').to.equal(
      'stopped',
    );
  });

  it('counts an answer as late that kept everybody else waiting, where that is asked for', async () => {
    const busy = (signal: AbortSignal) => {
      for (const until = performance.now() + 20; performance.now() < until;);
      return signal;
    };
    expect((await inTime(busy, { ms: 5, late })).aborted).to.equal(false);
    expect(await failure(inTime(busy, { ms: 5, late, strict: true }))).to.equal('late');
  });

  it('runs what listens to its signal for whoever called', async () => {
    const caller = new AsyncLocalStorage<string>();
    const stop = new AbortController();
    const heard = new Promise((resolve) => {
      const listen = (signal: AbortSignal) => {
        signal.addEventListener('abort', () => resolve(caller.getStore()));
        return hang();
      };
      void caller.run('a plugin', () =>
        inTime(listen, { ms: 60_000, late, signal: stop.signal }).catch(() => undefined),
      );
    });
    stop.abort();
    expect(await heard).to.equal('a plugin');
  });
});
