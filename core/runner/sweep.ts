import type { Knex } from 'knex';
import { isTerminal } from '../runs/states.ts';
import type { Executor } from './executor.ts';

export interface SweepDeps {
  db: Knex;
  executor: Pick<Executor, 'held' | 'recover' | 'cleanup'>;
  log: { warn(fields: object, text: string): void };
}

/**
 * A run is recorded before what it used is removed: where the service was killed between the two, this
 * removes it. A run that is over or deleted stays so, so nobody can need any of it.
 */
export async function sweepEnded({ db, executor, log }: SweepDeps): Promise<void> {
  const held = await executor.held();
  if (!held.length) return;
  const rows = await db('runs').whereIn('id', held).select('id', 'status', 'handle');
  const known = new Set(rows.map(({ id }) => id));
  const deleted = held.filter((id) => !known.has(id)).map((id) => ({ id, handle: null }));
  for (const { id, handle } of [...rows.filter(({ status }) => isTerminal(status)), ...deleted]) {
    try {
      const left = handle?.workspace ? handle : await executor.recover(id);
      if (left) await executor.cleanup(left);
    } catch (err) {
      log.warn({ err, run: id }, 'what a run left behind could not be removed');
    }
  }
}
