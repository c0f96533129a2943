import type { Knex } from 'knex';

/** Whether a statement of this database waits for a lock, one that holds this text where one is given. */
export async function waitsForLock(db: Knex, text = ''): Promise<boolean> {
  const { rows } = await db.raw(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and position(? in query) > 0`,
    [text],
  );
  return rows.length > 0;
}
