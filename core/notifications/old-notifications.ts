import type { Knex } from 'knex';

/** few enough that no statement takes long */
const step = 20_000;

/** Tests and messages of plugins belong to no run, with which they could go: they are kept for so many days. */
export async function deleteOldNotifications(db: Knex, days: number): Promise<number> {
  for (let removed = 0; ;) {
    // one after the other, so that nobody waits for a long transaction
    // oxlint-disable-next-line no-await-in-loop
    const gone = await db('notifications')
      .whereIn(
        'id',
        db('notifications')
          .whereNull('run_id')
          .whereNot({ status: 'pending' })
          .whereRaw('created < now() - make_interval(days => ?)', [days])
          .limit(step)
          .select('id'),
      )
      .delete();
    removed += gone;
    if (gone < step) return removed;
  }
}
