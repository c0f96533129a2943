import type { z } from 'zod';
import type { Queue } from '../queue/queue.ts';
import type { Hooks, QueuedHook, QueuedPayloads } from './hooks.ts';
import { payloadSchemas } from './payloads.ts';

const attempts = 12;

/** `<plugin>:hook:<tap>`: of a plugin that is off nobody takes them, and they wait until it is back. */
export const tapTask = (label: string): string => label.replace(':', ':hook:');

/** One task per tap, so that a failing tap is retried without running the others again. */
export const hookTasks = <H extends QueuedHook>(hooks: Hooks, hook: H, payload: QueuedPayloads[H]) =>
  hooks.tapsOf(hook, payload).map((label) => ({ name: tapTask(label), payload }));

/**
 * A node tells a plugin of facts one part at a time. Four parts of 2,000 hosts at once kept requests waiting: with drift on, the 95 % of
 * a list during a pass went from 26 to 15 ms (idle 7.5), the pass itself from 356 to 354 ms, in turns.
 */
export const factsLane = (plugin: string): string => `${plugin}: facts`;

/** Once all taps are there, before the queue starts and before anything may be enqueued. */
export function defineHookTask({ queue, hooks }: { queue: Pick<Queue, 'define'>; hooks: Hooks }): void {
  for (const { hook, taps } of hooks.list()) {
    if (hook === 'beforeStart') continue;
    for (const { label, plugin } of taps)
      queue.define(tapTask(label), {
        schema: payloadSchemas[hook] as z.ZodType,
        plugin,
        ...(hook === 'onFactsUpdated' && { lane: factsLane(plugin), atOnce: 1 }),
        maxAttempts: attempts,
        run: (payload, { signal, attempt }) => hooks.runTap(label, payload, { signal, attempt }),
      });
  }
}
