import { setTimeout as delay } from 'node:timers/promises';

const pauseMs = 1;

let last: Promise<unknown> = Promise.resolve();

/**
 * Work that holds up the process for a millisecond or two, such as the facts of a host: one at a time however many tasks there are,
 * with a pause in between, so that requests go on as if little was done.
 */
export function inTurn<T>(work: () => T): Promise<T> {
  const mine = last.then(work);
  const pause = () => delay(pauseMs);
  last = mine.then(pause, pause);
  return mine;
}
