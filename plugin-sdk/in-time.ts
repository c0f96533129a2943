import { AsyncLocalStorage } from 'node:async_hooks';

export interface TimeLimit {
  /** milliseconds */
  ms: number;
  /** Makes the error; `stopped` where the time ended because `signal` aborted. */
  late: (stopped: boolean) => Error;
  /** of whoever cannot wait much longer */
  signal?: AbortSignal | undefined;
  /** milliseconds that are left when `signal` aborts; default 0 */
  graceMs?: number;
  /** Whether an answer is late, too, that came when the timer should have fired long ago: its work kept the event loop busy. */
  strict?: boolean;
}

/**
 * Waits a limited time for code that may hang, such as what another plugin offers. What is too late goes on unobserved, since
 * nothing can stop it; the signal that it was given tells it, earlier where it has a grace.
 * @returns what `work` answers
 * @throws what `work` throws, or the error that `late` makes
 */
export async function inTime<T>(
  work: (signal: AbortSignal) => T | Promise<T>,
  { ms, late, signal, graceMs = 0, strict = false }: TimeLimit,
): Promise<T> {
  const began = performance.now();
  const controller = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  const giveUp = (stopped: boolean) => {
    const error = late(stopped);
    // first of all: who listens to the signal may answer at once
    reject(error);
    controller.abort(error);
  };
  let timer = setTimeout(giveUp, ms, false);
  // listeners of the work run for whoever called, not for who aborts
  const stop = AsyncLocalStorage.bind(() => {
    clearTimeout(timer);
    if (!graceMs) return giveUp(true);
    timer = setTimeout(giveUp, graceMs, true);
    controller.abort(signal?.reason);
  });
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const answer = (async () => work(controller.signal))().finally(
      () => strict && performance.now() - began > ms && giveUp(false),
    );
    // after the work began, so that it hears of it
    if (signal?.aborted) stop();
    return await Promise.race([over, answer]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
