import type { RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runPrepared } from '../../../db/prepared.ts';
import { advanceLater, advanceTask } from '../../../runs/waiting/advance.ts';
import type { Inserted } from '../../../runs/start.ts';
import type { WorkflowServices } from '../services.ts';
import { mergedArtifacts } from './artifacts.ts';
import type { Steps } from './decide.ts';
import type { GraphNode } from './graph.ts';
import { whyNot, willPass } from './launch-node.ts';
import { takeSteps } from './take-steps.ts';
import { spawn, type Spawned } from './spawn.ts';

/** Launched in one transaction; a workflow that begins with more of them goes on at once. */
const mostAtOnce = 50;
/** until those are tried again that nobody could be asked about */
const pauseS = 5;

/**
 * Looks at where a run of a workflow stands, and goes on. All of it in one transaction under the lock of the run's row:
 * of two nodes that end at once, each sees the other's end or is seen by it. Whatever is launched is tied to its node there, too;
 * plugins are asked about it after the commit, and what they never got to decide about is deleted, and launched again.
 */
export async function advanceWorkflow(services: WorkflowServices, id: number, look: { whole: boolean }): Promise<void> {
  const { db, launch } = services;
  const inserted = await db.transaction((trx) => step(trx, services, id, look));
  // nobody waits for them
  for (const one of inserted) void launch.decide(one).catch((err: unknown) => giveUp(services, one, err));
}

/** What can never be decided would be deleted by the reaper, and launched again for ever. */
async function giveUp({ db, statuses, log }: WorkflowServices, { run }: Inserted, err: unknown): Promise<void> {
  log.error({ err, run: run.id }, 'a node of a workflow could not be started');
  if (willPass(err)) return;
  await db
    .transaction((trx) => statuses.setStatus(trx, run, 'error', { job_explanation: whyNot(err) }))
    .catch((error: unknown) => log.error({ err: error, run: run.id }, 'nor could that be noted'));
}

async function step(
  trx: Knex,
  services: WorkflowServices,
  id: number,
  { whole }: { whole: boolean },
): Promise<Inserted[]> {
  const [run] = await runPrepared<RunRow>(trx, lock, [id]);
  if (!run) return [];
  const steps = await takeSteps(services, trx, id, { canceled: run.canceled_on !== null, whole });
  if (steps.told) await explainMore(trx, run, steps.told);
  const spawned = await spawn(trx, services, run, steps.launch.slice(0, mostAtOnce));
  const later = Math.min(steps.later ?? Infinity, spawned.putOff ? pauseS : Infinity);
  await services.queue.addTasks(trx, [
    ...(needsAnotherLook(steps, spawned) ? [advanceTask(id)] : []),
    ...(later === Infinity ? [] : [advanceLater(id, later)]),
  ]);
  if (steps.end) await finish(trx, services, run, steps.end);
  return spawned.inserted;
}

/** In the row at hand as well: its end may add to it. */
async function explainMore(trx: Knex, run: RunRow, text: string): Promise<void> {
  run.job_explanation = [run.job_explanation, text].filter(Boolean).join('\n');
  await trx('runs').where({ id: run.id }).update({ job_explanation: run.job_explanation });
}

const lock = {
  name: 'workflow lock',
  text: `select * from runs where id = $1 and status = 'running' for no key update`,
};

/** Nobody tells of a node that could not be launched at all; where all were put off, the same is likely to be said at once. */
const needsAnotherLook = ({ launch }: Steps, { inserted, putOff }: Spawned): boolean =>
  (launch.length > mostAtOnce && putOff < mostAtOnce) || inserted.length + putOff < Math.min(launch.length, mostAtOnce);

async function finish(
  trx: Knex,
  { statuses }: WorkflowServices,
  run: RunRow,
  end: NonNullable<Steps['end']>,
): Promise<void> {
  const artifacts = await mergedArtifacts(trx, run.id);
  if (run.canceled_on !== null) return void (await statuses.setStatus(trx, run, 'canceled', { artifacts }));
  const explanation = end.status === 'failed' ? await explain(trx, end.unhandled) : undefined;
  await statuses.setStatus(trx, run, end.status, {
    artifacts,
    ...(explanation === undefined
      ? {}
      : { job_explanation: [run.job_explanation, explanation].filter(Boolean).join('\n') }),
  });
}

const named = 20;

async function explain(trx: Knex, nodes: readonly GraphNode[]): Promise<string> {
  const first = nodes.slice(0, named);
  const noted: { id: number; explanation: string }[] = await trx('workflow_job_nodes')
    .whereIn(
      'id',
      first.map(({ id }) => id),
    )
    .select('id', 'explanation');
  const reasons = new Map(noted.map(({ id, explanation }) => [id, explanation]));
  const why = ({ id, job, template, outcome }: GraphNode) =>
    job === null && template === null ? 'nothing to launch' : [outcome, reasons.get(id)].filter(Boolean).join(': ');
  const told = first.map((node) => `${node.id} (${why(node)})`);
  const more = nodes.length > named ? ` and ${nodes.length - named} more` : '';
  return `No error handling path was found for workflow node${nodes.length > 1 ? 's' : ''} ${told.join(', ')}${more}.`;
}
