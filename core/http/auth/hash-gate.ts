import { availableParallelism } from 'node:os';
import { ApiError } from '@tapline/plugin-sdk';

/** Node has four threads for hashing, files and names together: logins may never have them all. */
const atOnce = Math.min(3, availableParallelism());
/** Some two seconds of work; whoever comes later would wait in vain. */
const maxWaiting = 100;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Runs a password hash when there is room for it. A flood of logins under ever new names costs their
 * senders time, not everybody else: remembered pairs, sessions and tokens pass by here.
 */
export async function withHashGate<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    if (waiting.length >= maxWaiting)
      throw new ApiError(503, 'Too many logins at once; try again.', { 'Retry-After': '2' });
    // the one who leaves hands its place over
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
