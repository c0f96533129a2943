import type { Knex } from 'knex';
import type { AnyMessage, Bus } from '../queue/bus.ts';
import type { Queue } from '../queue/queue.ts';
import type { RunKinds } from '../runs/kinds.ts';
import type { Inserted, LaunchDoor } from '../runs/start.ts';
import type { Statuses } from '../runs/status.ts';
import { runTask } from '../runs/task-request.ts';
import { block, tell } from './block.ts';
import type { Active, Candidate, Decision } from './decide.ts';
import { requestUpdates } from './request-updates.ts';

export interface ApplyDeps {
  kinds: RunKinds;
  statuses: Statuses;
  launch: Pick<LaunchDoor, 'insert'>;
  bus: Bus;
  queue: Pick<Queue, 'addTasks'>;
  /** the node of this process: it hears of its runs directly */
  self?: number | undefined;
}

export interface Applied {
  /** runs that were assigned, each to its node */
  assigned: { id: number; instance: number }[];
  /** updates whose taps have still to decide */
  undecided: Inserted[];
  /** something changed that may let others go on: look again */
  again: boolean;
}

type Of<K extends Decision['do']> = Extract<Decision, { do: K }>;
const only = <K extends Decision['do']>(decisions: readonly Decision[], kind: K) =>
  decisions.filter((decision): decision is Of<K> => decision.do === kind);
const idsOf = (decisions: readonly { run: number }[]) => decisions.map(({ run }) => ({ id: run }));

/** Writes all decisions of a pass, each kind in a fixed number of statements; one after the other, since they share a connection. */
export async function applyDecisions(
  trx: Knex,
  deps: ApplyDeps,
  decisions: readonly Decision[],
  { candidates, active }: { candidates: readonly Candidate[]; active: readonly Active[] },
): Promise<Applied> {
  const { statuses } = deps;
  const assigned = await assign(trx, deps, only(decisions, 'assign'));
  await enqueue(trx, deps, only(decisions, 'queue'));
  await begin(trx, deps, only(decisions, 'begin'));
  await block(trx, only(decisions, 'block'));
  await tell(trx, only(decisions, 'wait'), candidates);
  const end = (status: 'failed' | 'canceled', decided: readonly Of<'fail' | 'cancel'>[]) =>
    statuses.setStatuses(
      trx,
      status,
      decided.map(({ run, explanation }) => ({ id: run, fields: { job_explanation: explanation } })),
    );
  const failed = await end('failed', only(decisions, 'fail'));
  const canceled = await end('canceled', only(decisions, 'cancel'));
  const inserted = await requestUpdates(trx, deps, only(decisions, 'update'), active);
  return {
    assigned,
    undecided: inserted.filter(({ run }) => run.status === 'new'),
    again: inserted.length > 0 || failed.length > 0 || canceled.length > 0,
  };
}

async function assign(
  trx: Knex,
  { statuses, bus, self }: ApplyDeps,
  decisions: readonly Of<'assign'>[],
): Promise<Applied['assigned']> {
  const moves = decisions.map(({ run, node: { id, hostname }, group }) => ({
    id: run,
    fields: {
      instance_id: id,
      execution_node: hostname,
      controller_node: hostname,
      ...(group && { instance_group_id: group.id }),
    },
  }));
  const moved = await statuses.setStatuses(trx, 'waiting', moves);
  const assigned = moved.map(({ id, instance_id: instance }) => ({ id, instance: instance! }));
  const elsewhere = assigned.filter(({ instance }) => instance !== self);
  await bus.notifyAll(
    trx,
    elsewhere.map(({ id, instance }): AnyMessage => ['node', { instance, run: id, what: 'start' }]),
  );
  return assigned;
}

async function enqueue(trx: Knex, { statuses, queue }: ApplyDeps, decisions: readonly Of<'queue'>[]): Promise<void> {
  const moved = await statuses.setStatuses(trx, 'waiting', idsOf(decisions));
  await queue.addTasks(trx, moved.map(runTask));
}

async function begin(trx: Knex, { kinds, statuses }: ApplyDeps, decisions: readonly Of<'begin'>[]): Promise<void> {
  for (const run of await statuses.setStatuses(trx, 'running', idsOf(decisions)))
    // they share the transaction
    // oxlint-disable-next-line no-await-in-loop
    await kinds.find(run.kind)?.begin?.(trx, run);
}
