import { inTime } from '@tapline/plugin-sdk';
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
  let why: Error | undefined;
  const late = (stopped: boolean) =>
    (why = new Error(stopped ? 'the service stops' : `no answer within ${timeoutMs} ms`));
  try {
    const value = await inSection({ plugin, what: `${hook} tap ${name}` }, () =>
      inTime(work, { ms: timeoutMs, late, signal, strict: true }),
    );
    return { value, record: record('ok') };
  } catch (error) {
    return { record: why ? record('timed out', why) : record('threw', error ?? new Error(`threw ${String(error)}`)) };
  }
}
