import type { Knex } from 'knex';
import { QUEUE_SCHEMA } from './tasks.ts';

/** Tasks that failed every attempt are kept for so many days for whoever looks into it, then they go. */
export async function deleteGivenUpTasks(db: Knex, days: number): Promise<number> {
  const { rows } = await db.raw(
    `select count(*)::int as count from ${QUEUE_SCHEMA}.complete_jobs(array(
       select id from ${QUEUE_SCHEMA}.jobs
       where attempts >= max_attempts and locked_at is null and updated_at < now() - make_interval(days => ?)))`,
    [days],
  );
  return rows[0].count;
}
