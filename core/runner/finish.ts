import { type Conclusion, type MovedRun, SpecError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { factsUpdates } from '../hooks/facts-updates.ts';
import type { Hooks } from '../hooks/hooks.ts';
import { hookTasks } from '../hooks/queue-tasks.ts';
import type { Queue } from '../queue/queue.ts';
import type { RunKinds } from '../runs/kinds.ts';
import type { Statuses } from '../runs/status.ts';
import type { Executor, Handle } from './executor.ts';
import type { RunOutcome } from './outcome.ts';

export interface FinishDeps {
  db: Knex;
  kinds: RunKinds;
  executor: Executor;
  statuses: Statuses;
  hooks: Hooks;
  queue: Pick<Queue, 'addTasks'>;
}

/** What a finished run leaves: what its kind takes over, its status, and everything that follows from it, in one transaction. */
export async function finishRun(deps: FinishDeps, run: MovedRun, handle: Handle, outcome: RunOutcome): Promise<void> {
  const conclusion = await concluded(deps, run, handle, outcome);
  try {
    await end(deps, run, outcome, conclusion);
  } catch (error) {
    if (error instanceof Overtaken) return;
    if (!(error instanceof SpecError)) throw error;
    const columns = conclusion.refused?.(error);
    await end(deps, run, outcome, { status: 'failed', explanation: error.message, columns });
  }
}

/** Somebody else ended the run meanwhile: what was done for its end is undone. */
class Overtaken extends Error {}

async function end(deps: FinishDeps, run: MovedRun, outcome: RunOutcome, conclusion: Conclusion): Promise<void> {
  const { status, explanation, columns, before, write } = conclusion;
  const explanations = [run.job_explanation, outcome.explanation, explanation];
  await deps.db.transaction(async (trx) => {
    const more = await before?.(trx);
    const ended = await deps.statuses.setStatus(trx, run, status ?? outcome.status, {
      job_explanation: explanations.filter(Boolean).join('\n'),
      result_traceback: outcome.traceback,
      host_status_counts: outcome.host_status_counts,
      play_count: outcome.play_count,
      task_count: outcome.task_count,
      artifacts: outcome.artifacts,
      ...columns,
      ...more,
    });
    if (!ended) throw new Overtaken();
    await write?.(trx);
    const updates = factsUpdates(run.id, outcome.facts);
    if (updates.length)
      await deps.queue.addTasks(
        trx,
        updates.flatMap((update) => hookTasks(deps.hooks, 'onFactsUpdated', update)),
      );
  });
}

async function concluded(
  { kinds, executor }: FinishDeps,
  run: MovedRun,
  handle: Handle,
  { status }: RunOutcome,
): Promise<Conclusion> {
  const conclusion = await kinds.find(run.kind)?.finish?.({
    run,
    status,
    readFolder: (folder) => executor.readFolder(handle, folder),
    localFolder: (folder) => executor.localFolder(handle, folder),
  });
  return conclusion ?? {};
}
