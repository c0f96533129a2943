import type { EventEmitter } from 'node:events';

/** What the queue's library tells when a place has looked for a task. */
export const foundOne = 'job:start';
export const foundNone = ['worker:getJob:empty', 'worker:getJob:error'];

/** How late a task may be found whose time has come, or of which nobody was told. */
const everyMs = 500;

/** How long a place that found nothing waits by itself: it is woken before that, here or since a task was added. */
export const idleMs = 600_000;

/**
 * Looks for tasks that are due, in the name of all idle places at once. By itself each of them looks: with the bundled plugins that were
 * 28, which asked together every other second over all connections there are, and a launch beside them waited 10 ms for each of its
 * statements. Where one finds a task the next one looks as well, until one finds none.
 *
 * @param look wakes one place that is idle
 * @returns what ends it
 */
export function lookForDueTasks(events: EventEmitter, look: () => void): () => void {
  let looking = false;
  events.on(foundOne, () => looking && look());
  for (const nothing of foundNone) events.on(nothing, () => (looking = false));
  const timer = setInterval(() => {
    looking = true;
    look();
  }, everyMs);
  return () => clearInterval(timer);
}
