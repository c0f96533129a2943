import type { Knex } from 'knex';
import { QUEUE_SCHEMA } from './tasks.ts';

/** Tasks that failed every attempt are kept a month for whoever looks into it, then they go. */
export async function deleteGivenUpTasks(db: Knex): Promise<number> {
  const { rows } = await db.raw(
    `select count(*)::int as count from ${QUEUE_SCHEMA}.complete_jobs(array(
       select id from ${QUEUE_SCHEMA}.jobs
       where attempts >= max_attempts and locked_at is null and updated_at < now() - interval '30 days'))`,
  );
  return rows[0].count;
}
