import type { Knex } from 'knex';
import { join } from 'node:path';
import type { Hooks } from '../hooks/hooks.ts';
import { hookTasks } from '../hooks/queue-tasks.ts';
import type { Queue } from '../jobs/queue.ts';
import type { MovedRun, Statuses } from '../jobs/status.ts';
import { cachePath, importFetched } from '../scm/cache.ts';
import { contentsOf, type Contents } from '../scm/contents.ts';
import { keepRequirements } from '../scm/requirements.ts';
import type { Executor, Handle } from './executor.ts';
import type { RunOutcome } from './outcome.ts';

export interface FinishDeps {
  config: { dataDir: string };
  db: Knex;
  executor: Executor;
  statuses: Statuses;
  hooks: Hooks;
  queue: Pick<Queue, 'addTasks'>;
}

/** What a finished run leaves: its status, and everything that follows from it, in one transaction. */
export async function finishRun(deps: FinishDeps, run: MovedRun, handle: Handle, outcome: RunOutcome): Promise<void> {
  const update =
    run.kind === 'project_update' && outcome.status === 'successful' ? await takeOver(deps, run, handle) : null;
  const status = update && 'problem' in update ? 'failed' : outcome.status;
  const explanation = [run['job_explanation'], outcome.explanation, update && 'problem' in update ? update.problem : '']
    .filter(Boolean)
    .join('\n');
  await deps.db.transaction(async (trx) => {
    const ended = await deps.statuses.setStatus(trx, run, status, {
      job_explanation: explanation,
      result_traceback: outcome.traceback,
      host_status_counts: outcome.host_status_counts,
      play_count: outcome.play_count,
      task_count: outcome.task_count,
      artifacts: outcome.artifacts,
      ...(update && 'revision' in update ? { scm_revision: update.revision } : {}),
    });
    if (!ended) return;
    if (update && 'revision' in update) await writeProject(trx, run, update);
    if (outcome.facts.length)
      await deps.queue.addTasks(trx, hookTasks(deps.hooks, 'onFactsUpdated', { run_id: run.id, hosts: outcome.facts }));
  });
}

type Taken = { revision: string; contents: Contents } | { problem: string };

/** Safe to do again after a restart: the same objects, the same refs. */
async function takeOver({ config, executor }: FinishDeps, run: MovedRun, handle: Handle): Promise<Taken> {
  const result: Record<string, string> = {};
  for await (const { name, content } of executor.readFolder(handle, 'result'))
    if (name === 'refs' || name === 'revision') result[name] = content;
  const cache = cachePath(config.dataDir, run.template_id!);
  try {
    const revision = await importFetched(cache, {
      work: join(handle.workspace, 'work'),
      refs: result['refs'] ?? '',
      revision: result['revision'] ?? '',
      replace: run['scm_delete_on_update'],
    });
    await keepRequirements(cache, revision, join(handle.workspace, 'work'));
    return { revision, contents: await contentsOf(cache, revision) };
  } catch (error) {
    return { problem: `What was fetched could not be taken over: ${(error as Error).message}` };
  }
}

/** The checkout of another branch for one job changes nothing of the project, unless it is the first ever. */
async function writeProject(
  trx: Knex,
  run: MovedRun,
  { revision, contents }: Extract<Taken, { revision: string }>,
): Promise<void> {
  const query = trx('templates').where({ id: run.template_id });
  if (run['job_type'] === 'run') query.where({ scm_revision: '' });
  await query.update({
    scm_revision: revision,
    playbook_files: JSON.stringify(contents.playbooks),
    inventory_files: JSON.stringify(contents.inventories),
  });
}
