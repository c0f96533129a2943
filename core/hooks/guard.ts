/** How one tap ended; shown in traces, metrics and logs. */
export interface TapRecord {
  hook: string;
  tap: string;
  result: 'ok' | 'denied' | 'threw' | 'timed out';
  milliseconds: number;
  error?: unknown;
}

export interface Guarded<T> {
  value?: T;
  record: TapRecord;
}

/**
 * Runs one tap so that nothing it does reaches the others: a throw and a late answer become a record.
 * A tap that is too late keeps running unobserved; its answer is dropped.
 */
export async function guard<T>(
  hook: string,
  tap: { name: string; timeoutMs?: number },
  run: () => T | Promise<T>,
): Promise<Guarded<T>> {
  const started = performance.now();
  const record = (result: TapRecord['result'], error?: unknown): TapRecord => ({
    hook,
    tap: tap.name,
    result,
    milliseconds: performance.now() - started,
    ...(error === undefined ? {} : { error }),
  });
  const late = Symbol('late');
  let timer: NodeJS.Timeout | undefined;
  try {
    const deadline = new Promise<typeof late>((resolve) => {
      timer = setTimeout(() => resolve(late), tap.timeoutMs ?? 30_000);
    });
    const value = await Promise.race([Promise.resolve().then(run), deadline]);
    if (value === late) return { record: record('timed out') };
    return { value: value as T, record: record('ok') };
  } catch (error) {
    return { record: record('threw', error ?? new Error('threw nothing')) };
  } finally {
    clearTimeout(timer);
  }
}
