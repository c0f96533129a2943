import type { Knex } from 'knex';
import { notifyAll, type Statuses } from '../jobs/status.ts';
import type { Bus } from '../jobs/bus.ts';
import { runKey } from '../jobs/release.ts';
import { assignedHere, type ClaimedRun } from '../runner/claim.ts';
import { insertUpdates } from '../scm/insert-update.ts';
import type { Active, Candidate, Decision, Reason } from './decide.ts';

export interface ApplyDeps {
  statuses: Statuses;
  bus: Bus;
  /** the node of this process: it hears of its runs directly, and has claimed them */
  self?: { instance: number; executor: string } | undefined;
}

type Assigned = ClaimedRun & { instance_id: number };

export interface Applied {
  assigned: Assigned[];
  /** something changed that may let others go on: look again */
  again: boolean;
}

type Of<K extends Decision['do']> = Extract<Decision, { do: K }>;
const only = <K extends Decision['do']>(decisions: readonly Decision[], kind: K) =>
  decisions.filter((decision): decision is Of<K> => decision.do === kind);

/** Writes all decisions of a pass, each kind in a fixed number of statements. */
export async function applyDecisions(
  trx: Knex,
  deps: ApplyDeps,
  decisions: readonly Decision[],
  candidates: readonly Candidate[],
  active: readonly Active[],
): Promise<Applied> {
  const { statuses, bus, self } = deps;
  const assigned = await assign(trx, deps, only(decisions, 'assign'));
  await block(
    trx,
    only(decisions, 'block').map(({ run, on, reason }) => ({ run, on, reason })),
  );
  await tell(trx, only(decisions, 'wait'), candidates);
  const end = (status: 'failed' | 'canceled', decided: readonly Of<'fail' | 'cancel'>[]) =>
    statuses.setStatuses(
      trx,
      status,
      decided.map(({ run, explanation }) => ({ id: run, fields: { job_explanation: explanation } })),
    );
  // one after the other: they share a connection
  const failed = await end('failed', only(decisions, 'fail'));
  const canceled = await end('canceled', only(decisions, 'cancel'));
  const updates = await requestUpdates(trx, deps, only(decisions, 'update'), active);
  await notifyAll(
    trx,
    bus,
    assigned
      .filter(({ instance_id }) => instance_id !== self?.instance)
      .map(({ id, instance_id }) => ['node', { instance: instance_id, run: id, what: 'start' }]),
  );
  return { assigned, again: updates > 0 || failed.length > 0 || canceled.length > 0 };
}

async function assign(
  trx: Knex,
  { statuses, self }: ApplyDeps,
  decisions: readonly Of<'assign'>[],
): Promise<Assigned[]> {
  const moves = decisions.map(({ run, node }) => ({
    id: run,
    fields: {
      instance_id: node.id,
      execution_node: node.hostname,
      controller_node: node.hostname,
      ...(node.id === self?.instance && assignedHere.claimBy(self.executor)),
    },
  }));
  const reading = decisions.some(({ node }) => node.id === self?.instance) ? assignedHere.reading : '';
  return (await statuses.setStatuses(trx, 'waiting', moves, reading)) as never;
}

export async function block(trx: Knex, blocks: readonly { run: number; on: string; reason: Reason }[]): Promise<void> {
  if (!blocks.length) return;
  await trx.raw(
    `with input as (select * from jsonb_to_recordset(?::jsonb) as i(run bigint, "on" text, reason jsonb)),
          free as (select runs.id from runs join input on input.run = runs.id where runs.status = 'pending' for no key update of runs skip locked)
     update runs set blocked_on = input."on", pending_reasons = jsonb_build_array(input.reason)
     from input, free where runs.id = input.run and runs.id = free.id`,
    [JSON.stringify(blocks)],
  );
}

/** Only where the reason is a new one: a full queue is not rewritten at every pass. */
async function tell(trx: Knex, waits: readonly Of<'wait'>[], candidates: readonly Candidate[]): Promise<void> {
  const told = new Map(
    candidates.map((candidate) => [
      candidate.id,
      (candidate as { pending_reasons?: Reason[] }).pending_reasons?.[0]?.code,
    ]),
  );
  const news = waits.filter(({ run, reason }) => told.get(run) !== reason.code);
  if (!news.length) return;
  await trx.raw(
    `with input as (select * from jsonb_to_recordset(?::jsonb) as i(run bigint, reason jsonb)),
          free as (select runs.id from runs join input on input.run = runs.id where runs.status = 'pending' for no key update of runs skip locked)
     update runs set pending_reasons = jsonb_build_array(input.reason) from input, free where runs.id = input.run and runs.id = free.id`,
    [JSON.stringify(news.map(({ run, reason }) => ({ run, reason })))],
  );
}

/** One update per project serves every run that needs one; one that is under way already is shared. */
async function requestUpdates(
  trx: Knex,
  { statuses }: ApplyDeps,
  wanted: readonly Of<'update'>[],
  active: readonly Active[],
): Promise<number> {
  if (!wanted.length) return 0;
  const updates = new Map<number, number>();
  for (const run of active)
    if (run.kind === 'project_update' && run.template_id !== null) updates.set(run.template_id, run.id);
  const missing = [...new Set(wanted.map(({ project }) => project))].filter((project) => !updates.has(project));
  const created = await insertUpdates(trx, missing, { launch_type: 'dependency' });
  for (const run of created) updates.set(run.template_id, run.id);
  await statuses.setStatuses(
    trx,
    'pending',
    created.map(({ id }) => ({ id })),
  );
  const pairs = wanted.flatMap(({ run, project }) =>
    updates.has(project) ? [{ run, update: updates.get(project)! }] : [],
  );
  await trx('run_dependencies')
    .insert(pairs.map(({ run, update }) => ({ run_id: run, depends_on: update })))
    .onConflict()
    .ignore();
  await trx.raw(
    `update runs set project_update_id = i.update from jsonb_to_recordset(?::jsonb) as i(run bigint, update bigint)
     where runs.id = i.run and runs.id in (select id from runs where id = i.run for no key update skip locked)`,
    [JSON.stringify(pairs)],
  );
  await block(
    trx,
    pairs.map(({ run, update }) => ({
      run,
      on: runKey(update),
      reason: {
        code: 'dependency',
        text: `Waiting for project_update ${update} to finish.`,
        explanation: `waiting for project_update-${update} to finish`,
      },
    })),
  );
  return created.length;
}
