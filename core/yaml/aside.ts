import { availableParallelism, loadavg } from 'node:os';
import { Tinypool } from 'tinypool';
import { createGate } from '../observe/gate.ts';
import { maxLength } from './read-yaml.ts';

/** A reader of texts: a pure function that a module exports; its result must survive a copy between threads. */
export interface Reader {
  module: URL;
  name: string;
}

/** The text may be right, but it costs more than anybody is given. */
export class AsideError extends Error {
  override name = 'AsideError';
}

export interface AsideOptions {
  threads?: number;
  /** for one text, its time in the queue not counted, on a machine that has a processor for it */
  limitMs?: number;
  memoryMb?: number;
  /** whoever has waited so long for a thread is told to try again; default: for ever */
  patienceMs?: number;
}

/** Where many wait for a processor, each gets its share only: a right text is not refused for what others do. */
const busy = () => Math.min(Math.max(1, loadavg()[0]! / availableParallelism()), 4);

const retry = 'Shorten it, or send JSON, which is read at once.';
/** Up to here everybody else waits some 30 ms, or half a second when the text was made for it. */
const shortEnough = 16_000;

/**
 * Threads for what would keep the event loop from everybody else: they start with the first text, leave a processor
 * to the loop where there are two, and end when there was nothing to do for a while.
 */
export function createAside({
  threads = Math.max(1, Math.min(2, availableParallelism() - 1)),
  limitMs = 30_000,
  memoryMb = 512,
  patienceMs,
}: AsideOptions = {}) {
  const gate = createGate({
    atOnce: threads,
    maxWaiting: 50,
    ...(patienceMs !== undefined && { patienceMs }),
    full: 'Too many long texts are being read at once; try again.',
  });
  let pool: Tinypool | undefined;
  const started = () => {
    pool ??= new Tinypool({
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: 10_000,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      // a reader needs nothing from outside
      env: {},
    });
    return pool;
  };

  /** @throws AsideError when it takes too long or too much memory, ApiError 503 when too many wait, or too long */
  return <T>({ module, name }: Reader, task: unknown, how: { patient?: boolean } = {}): Promise<T> =>
    gate(async () => {
      const signal = AbortSignal.timeout(Math.round(limitMs * busy()));
      try {
        return await started().run(task, { filename: module.href, name, signal });
      } catch (error) {
        if (signal.aborted) throw new AsideError(`It takes longer than ${limitMs / 1000} s to read. ${retry}`);
        if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
          throw new AsideError(`It takes too much memory to read. ${retry}`);
        throw error;
      }
    }, how);
}

export const readAside = createAside();

/** The same reader for short texts here and for long ones aside; the module exports it under its own name. */
export function ofAnyLength<Task extends { text: string }, Result>(module: URL, read: (task: Task) => Result) {
  const reader = { module, name: read.name };
  return async (task: Task, how: { patient?: boolean } = {}): Promise<Result> => {
    const { length } = task.text;
    return length > shortEnough && length <= maxLength ? readAside<Result>(reader, task, how) : read(task);
  };
}
