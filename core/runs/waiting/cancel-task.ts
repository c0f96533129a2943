import { z } from 'zod';
import type { Queue } from '../../queue/queue.ts';
import type { TaskRequest } from '../../queue/tasks.ts';
import { cancelRun, type CancelDeps } from '../cancel.ts';

const TASK = 'core:cancel-run';

/** Cancels a run once the transaction has committed that makes it necessary. */
export const cancelTask = (run: number): TaskRequest => ({ name: TASK, payload: { run }, key: `cancel:${run}` });

export function defineCancel(deps: CancelDeps & { queue: Pick<Queue, 'define'> }): void {
  deps.queue.define(TASK, {
    schema: z.object({ run: z.int().positive() }),
    run: async ({ run }) => void (await cancelRun(deps, run)),
  });
}
