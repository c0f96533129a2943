import { z } from 'zod';
import type { Queue } from '../jobs/queue.ts';
import type { Hooks, QueuedHook, QueuedPayloads } from './hooks.ts';

const HOOK_TASK = 'core:hook';

/** One task per tap, so that a failing tap is retried without running the others again. */
export const hookTasks = <H extends QueuedHook>(hooks: Hooks, hook: H, payload: QueuedPayloads[H]) =>
  hooks.tapsOf(hook).map((tap) => ({ name: HOOK_TASK, payload: { hook, tap, payload } }));

export function defineHookTask({ queue, hooks }: { queue: Queue; hooks: Hooks }): void {
  queue.define(HOOK_TASK, {
    schema: z.object({
      hook: z.enum(['onStatusChange', 'afterFinish', 'onFactsUpdated']),
      tap: z.string(),
      payload: z.record(z.string(), z.unknown()),
    }),
    run: ({ hook, tap, payload }) => hooks.runTap(hook, tap, payload),
  });
}
