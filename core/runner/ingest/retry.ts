import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../observe/log.ts';

const firstMs = 50;
const longestMs = 3000;

class RunGone extends Error {}

/** Nothing is left to store for: the one failure that no repetition mends. */
export const runGone = (id: number) => new RunGone(`run ${id} was deleted while it was followed`);

/**
 * Repeats until it works: the run goes on without us and its spool keeps everything, so giving up could only lose.
 * Ends early only when the signal aborts or the run is gone.
 */
export async function persist<T>(
  work: () => Promise<T>,
  { log, signal, what }: { log: Log; signal: AbortSignal; what: string },
): Promise<T> {
  for (let wait = firstMs; ; wait = Math.min(wait * 2, longestMs)) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (err) {
      if (signal.aborted || err instanceof RunGone) throw err;
      log.warn({ err }, `${what} failed; trying again in ${wait} ms`);
      await delay(wait, undefined, { signal });
    }
  }
}
