import type { Knex } from 'knex';

/** few enough that nobody waits for the statement */
const step = 5000;

/** Removes entries of the activity stream that are older than so many days; 0 keeps them all. */
export async function deleteOldActivity(db: Knex, days: number): Promise<number> {
  if (days === 0) return 0;
  for (let removed = 0; ;) {
    // one after the other: each holds its locks for a moment only
    // oxlint-disable-next-line no-await-in-loop
    const { rowCount } = await db.raw(
      `delete from activity_stream where id in (
         select id from activity_stream where timestamp < now() - make_interval(days => ?) order by timestamp limit ?)`,
      [days, step],
    );
    removed += rowCount ?? 0;
    if ((rowCount ?? 0) < step) return removed;
  }
}
