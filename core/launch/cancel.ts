import type { Knex } from 'knex';
import { type Action, type Actor, type Rule, field, methodNotAllowed } from '@tapline/plugin-sdk';
import type { Bus } from '../jobs/bus.ts';
import { isActive } from '../jobs/states.ts';
import type { Statuses } from '../jobs/status.ts';
import type { RunEntries } from './run-entries.ts';

export interface CancelDeps {
  db: Knex;
  bus: Bus;
  statuses: Statuses;
  entries?: RunEntries;
}

/**
 * Whoever has not begun is canceled at once; a process is asked to end by its node and the run stays
 * `running` until it has. The request is stored, so that a node that is away finds it when it is back.
 * Resolves to false when the run had ended already.
 */
export async function cancelRun(
  { db, bus, statuses, entries }: CancelDeps,
  id: number,
  actor: Actor | null = null,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const run = await trx('runs')
      .where({ id })
      .forNoKeyUpdate()
      .first('id', 'status', 'handle', 'instance_id', 'canceled_on');
    if (!run || !isActive(run.status)) return false;
    if (run.canceled_on === null) await entries?.canceled(trx, run, actor);
    const begun = run.status === 'running' || (run.status === 'waiting' && run.handle !== null);
    if (!begun) {
      await statuses.setStatus(trx, run, 'canceled');
      return true;
    }
    await trx('runs')
      .where({ id })
      .update({ canceled_on: trx.raw('coalesce(canceled_on, now())') });
    if (run.instance_id !== null) await bus.notify(trx, 'node', { instance: run.instance_id, run: id, what: 'cancel' });
    return true;
  });
}

/** `cancel/` of runs of every kind (contract/jobs.md §12.1). */
export const cancelAction = (deps: CancelDeps, { see, cancel }: { see: Rule; cancel: Rule }): Action => ({
  access: { GET: see, POST: cancel },
  summary: 'Cancel the run',
  takes: { type: 'object' },
  answers: { GET: { fields: { can_cancel: field.boolean() } }, POST: { status: 202, empty: true } },
  async handler(call, row) {
    if (call.method === 'GET') return { status: 200, body: { can_cancel: isActive(row.status) } };
    if (!(await cancelRun(deps, row.id, call.actor))) throw methodNotAllowed('POST', 'GET, POST, HEAD, OPTIONS');
    return { status: 202 };
  },
});
