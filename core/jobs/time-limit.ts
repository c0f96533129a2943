interface Limit {
  ms: number;
  /** for the error: `task drift:capture` */
  what: string;
  /** of whoever cannot wait much longer */
  signal?: AbortSignal;
}

const graceMs = 3000;

/**
 * Resolves as `work` does, or rejects when its time is over: then the signal that it was given is aborted,
 * and whatever it still does goes unobserved. When the outer signal aborts it is told too, and has a moment left.
 */
export async function withinTime<T>(
  { ms, what, signal }: Limit,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  const giveUp = (reason: string) => {
    const error = new Error(`${what}: ${reason}`);
    controller.abort(error);
    reject(error);
  };
  let timer = setTimeout(giveUp, ms, `not done within ${ms} ms`);
  const stop = () => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, graceMs, 'not done when the service stopped');
    controller.abort(signal?.reason);
  };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    if (signal?.aborted) stop();
    return await Promise.race([Promise.resolve().then(() => work(controller.signal)), over]);
  } catch (error) {
    throw error ?? new Error(`${what} threw ${String(error)}`);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
