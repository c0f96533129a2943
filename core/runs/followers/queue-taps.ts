import type { Hooks } from '../../hooks/hooks.ts';
import { hookTasks } from '../../hooks/queue-tasks.ts';
import type { Queue } from '../../queue/queue.ts';
import { isTerminal } from '../states.ts';
import { type Follower, publicRun } from '../status.ts';

/** Plugins' taps on changes of status and on ends, each a task of its own. A run that nobody saw yet ends unheard. */
export const queueTaps =
  ({ hooks, queue }: { hooks: Hooks; queue: Pick<Queue, 'addTasks'> }): Follower =>
  async (trx, moved, to) => {
    const tasks = moved.flatMap((run) => [
      ...(run.from_status === 'new' && isTerminal(to) && to !== 'failed'
        ? []
        : hookTasks(hooks, 'onStatusChange', {
            run_id: run.id,
            kind: run.kind,
            template_id: run.template_id,
            seq: run.status_seq,
            from: run.from_status,
            to,
            at: run.modified,
          })),
      ...(isTerminal(to) ? hookTasks(hooks, 'afterFinish', { run: publicRun(run) }) : []),
    ]);
    await queue.addTasks(trx, tasks);
  };
