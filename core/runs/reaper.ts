import type { Knex } from 'knex';

/** A launch that is being decided says so this often (core/runs/gates/decide-launch.ts). */
export const DECIDING_BEAT_MS = 10_000;
/** Whoever has not said so for this long is taken for dead. */
export const SILENT_AFTER_S = 35;

/**
 * Runs whose launching process died between insert and decision. They were shown nowhere, so they are
 * deleted, and what taps reserved for them goes with them.
 */
export async function reapUndecided(db: Knex, silentAfterS = SILENT_AFTER_S): Promise<number> {
  return db('runs')
    .where({ status: 'new' })
    .whereRaw("modified < now() - ? * interval '1 second'", [silentAfterS])
    .delete();
}
