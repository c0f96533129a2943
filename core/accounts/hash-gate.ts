import { availableParallelism } from 'node:os';
import { createGate } from '../observe/gate.ts';

/**
 * Runs a password hash when there is room for it. A flood of logins under ever new names costs their
 * senders time, not everybody else: remembered pairs, sessions and tokens pass by here.
 */
export const withHashGate = createGate({
  // node has four threads for hashing, files and names together: logins may never have them all
  atOnce: Math.min(3, availableParallelism()),
  // some two seconds of work
  maxWaiting: 100,
  full: 'Too many logins at once; try again.',
});
