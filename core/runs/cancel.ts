import { type Action, type Actor, field, methodNotAllowed, type RunAccess, type RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Bus } from '../queue/bus.ts';
import type { RunEntries } from './entries.ts';
import { endNow, isForced } from './force.ts';
import type { RunKinds } from './kinds.ts';
import { isActive } from './states.ts';
import type { Statuses } from './status.ts';

export interface CancelDeps {
  db: Knex;
  bus: Bus;
  kinds: RunKinds;
  statuses: Statuses;
  entries: RunEntries;
}

/**
 * Whoever has not begun is canceled at once; what a node does is asked to end, and the run stays `running` until it has.
 * The request is stored, so that a node that is away finds it when it is back.
 * Resolves to false when the run had ended already.
 */
export const cancelRun = (deps: CancelDeps, id: number, actor: Actor | null = null, force = false): Promise<boolean> =>
  deps.db.transaction((trx) => cancelWithin(trx, deps, id, actor, force));

/** The same in a transaction of the caller's. */
export async function cancelWithin(
  trx: Knex,
  deps: Omit<CancelDeps, 'db'>,
  id: number,
  actor: Actor | null = null,
  force = false,
): Promise<boolean> {
  const { bus, kinds, statuses, entries } = deps;
  const run: RunRow | undefined = await trx('runs').where({ id }).forNoKeyUpdate().first();
  if (!run || !isActive(run.status)) return false;
  if (force) {
    await endNow(trx, deps, run, actor);
    return true;
  }
  if (run.canceled_on === null) await entries.canceled(trx, run, actor);
  const stop = kinds.find(run.kind)?.cancel;
  const waits = run['needs'] === 'nobody' && !(run.status === 'running' && stop);
  if (waits || !hasBegun(run)) {
    await statuses.setStatus(trx, run, 'canceled');
    return true;
  }
  await trx('runs')
    .where({ id })
    .update({ canceled_on: trx.raw('coalesce(canceled_on, now())') });
  if (run['needs'] === 'nobody') await stop?.(trx, run);
  else if (run.instance_id !== null)
    await bus.notify(trx, 'node', { instance: run.instance_id, run: id, what: 'cancel' });
  return true;
}

/** A node that was given a run claims it before it starts anything; a task starts as `running`. */
const hasBegun = (run: RunRow): boolean =>
  run.status === 'running' || (run.status === 'waiting' && run['handle'] !== null);

/** `cancel/` of runs of every kind (contract/jobs.md §12.1). */
export const cancelAction = (deps: CancelDeps, { see, cancel }: Pick<RunAccess, 'see' | 'cancel'>): Action => ({
  access: { GET: see, POST: cancel },
  summary: 'Cancel the run',
  takes: { type: 'object' },
  answers: { GET: { fields: { can_cancel: field.boolean() } }, POST: { status: 202, empty: true } },
  async handler(call, row) {
    if (call.method === 'GET') return { status: 200, body: { can_cancel: isActive(String(row['status'])) } };
    if (!(await cancelRun(deps, row.id, call.actor, isForced(call))))
      throw methodNotAllowed('POST', 'GET, POST, HEAD, OPTIONS');
    return { status: 202 };
  },
});
