import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../observe/log.ts';
import type { Patience } from '../patience.ts';

const firstMs = 50;
const longestMs = 3000;

/** Nothing is left to store for: no repetition mends that. */
export class RunGone extends Error {}

export const runGone = (id: number) => new RunGone(`run ${id} was deleted while it was followed`);

/** What a run left cannot be stored, however often it is tried; the cause says why. */
export class NotStored extends Error {}

export interface Persistence {
  log: Log;
  signal: AbortSignal;
  what: string;
  patience: Patience;
}

/**
 * Repeats until it works: the run goes on without us and its spool keeps everything.
 * @throws the signal's reason; RunGone; NotStored where Postgres is there and it is refused all the same
 */
export async function persist<T>(work: () => Promise<T>, { log, signal, what, patience }: Persistence): Promise<T> {
  for (let wait = firstMs; ; wait = Math.min(wait * 2, longestMs)) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (err) {
      if (signal.aborted || err instanceof RunGone) throw err;
      if (patience.isSpentBy(err)) throw new NotStored(`${what} failed again and again`, { cause: err });
      log.warn({ err }, `${what} failed; trying again in ${wait} ms`);
      await delay(wait, undefined, { signal });
    }
  }
}
