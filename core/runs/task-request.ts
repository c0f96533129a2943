import type { TaskRequest } from '../queue/tasks.ts';

/** The task of the queue that carries out runs which need one (runner/task-runs.ts). */
export const RUN_TASK = 'core:run';

export const runTaskKey = (run: number): string => `run:${run}`;

export const runTask = ({ id }: { id: number }): TaskRequest => ({
  name: RUN_TASK,
  payload: { run: id },
  key: runTaskKey(id),
});
