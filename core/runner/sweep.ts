import type { Knex } from 'knex';
import { isTerminal } from '../jobs/states.ts';
import type { Executor } from './executor.ts';

export interface SweepDeps {
  db: Knex;
  executor: Pick<Executor, 'held' | 'recover' | 'cleanup'>;
  log: { warn(fields: object, text: string): void };
}

/**
 * A run is recorded before what it used is removed: where the service was killed between the two, this
 * removes it. A run that is over stays over, so nobody can need any of it.
 */
export async function sweepEnded({ db, executor, log }: SweepDeps): Promise<void> {
  const held = await executor.held();
  if (!held.length) return;
  const rows = await db('runs').whereIn('id', held).select('id', 'status', 'handle');
  for (const { id, handle } of rows.filter(({ status }) => isTerminal(status))) {
    try {
      const known = handle?.workspace ? handle : await executor.recover(id);
      if (known) await executor.cleanup(known);
    } catch (err) {
      log.warn({ err, run: id }, 'what a run left behind could not be removed');
    }
  }
}
