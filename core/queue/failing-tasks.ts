import type { Knex } from 'knex';

/** One that fails now and then is tried again, and nobody need hear of it. */
const inARow = 3;

export interface FailingTask {
  task: string;
  plugin: string;
  failures: number;
  /** ISO 8601 UTC */
  since: string;
  error: string;
}

/** Tasks whose latest tries all failed, three or more of them, or of which one was given up. */
export async function failingTasks(db: Pick<Knex, 'raw'>): Promise<FailingTask[]> {
  const { rows } = await db.raw(
    `select task, plugin, failures, error, to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
     from failing_tasks where failures >= ? or given_up order by since, task`,
    [inARow],
  );
  return rows;
}

/** Of tasks that were given up, and have not run since. */
export async function deleteOldFailures(db: Knex, days: number): Promise<number> {
  return db('failing_tasks').whereRaw('latest < now() - make_interval(days => ?)', [days]).delete();
}
