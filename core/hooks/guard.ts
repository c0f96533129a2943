import { inSection } from '../observe/section.ts';
import type { HookName, Tap } from './tap.ts';

/** `invalid`: a `beforeStart` tap answered something that is neither nothing nor a denial. */
export type TapResult = 'ok' | 'denied' | 'threw' | 'timed out' | 'invalid';

/** How one call of a tap ended; shown in traces, metrics and logs. */
export interface TapRecord {
  hook: HookName;
  plugin: string;
  tap: string;
  run: number | null;
  attempt: number;
  result: TapResult;
  milliseconds: number;
  error?: unknown;
  /** the launch ends here, by the tap's denial or its fail mode */
  refused?: true;
}

export interface GuardedCall {
  run: number | null;
  attempt?: number;
  /** aborts when whoever called cannot wait any longer */
  signal?: AbortSignal;
}

export interface Guarded<T> {
  value?: T;
  record: TapRecord;
}

const late = Symbol('late');

/**
 * Runs one tap so that nothing it does reaches the others: a throw and a late answer become a record.
 * A tap that is too late keeps running unobserved: its signal is aborted, its answer is dropped.
 */
export async function guard<T>(
  tap: Tap,
  { run, attempt = 1, signal }: GuardedCall,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<Guarded<T>> {
  const started = performance.now();
  const { hook, plugin, name, timeoutMs } = tap;
  const record = (result: TapResult, error?: unknown): TapRecord => ({
    hook,
    plugin,
    tap: name,
    run,
    attempt,
    result,
    milliseconds: performance.now() - started,
    ...(error === undefined ? {} : { error }),
  });
  const controller = new AbortController();
  const { promise: ended, resolve: end } = Promise.withResolvers<typeof late>();
  const timer = setTimeout(() => end(late), timeoutMs);
  const give = () => end(late);
  signal?.addEventListener('abort', give, { once: true });
  if (signal?.aborted) give();
  try {
    const answer = inSection({ plugin, what: `${hook} tap ${name}` }, () =>
      Promise.resolve().then(() => work(controller.signal)),
    );
    const value = await Promise.race([answer, ended]);
    if (value !== late) return { value: value as T, record: record('ok') };
    const why = signal?.aborted ? 'the service stops' : `no answer within ${timeoutMs} ms`;
    inSection({ plugin, what: `${hook} tap ${name}` }, () => controller.abort(new Error(why)));
    return { record: record('timed out', new Error(why)) };
  } catch (error) {
    return { record: record('threw', error ?? new Error(`threw ${String(error)}`)) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', give);
  }
}
