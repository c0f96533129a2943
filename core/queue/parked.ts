import type { Knex } from 'knex';
import { QUEUE_SCHEMA } from './tasks.ts';

/** Tasks that nobody takes: their plugin is off, or does not have them any more. They wait, and use up no attempts. */
export interface ParkedTasks {
  plugin: string;
  count: number;
  tasks: string[];
  /** ISO 8601 UTC */
  oldest: string;
}

interface Taken {
  /** by their full names */
  names?: readonly string[];
  /** whole plugins, where the names are not known */
  plugins?: readonly string[];
}

/** One row per plugin with tasks beyond those that are taken. */
export async function parkedTasks(db: Pick<Knex, 'raw'>, taken: Taken): Promise<ParkedTasks[]> {
  const { rows } = await db.raw(
    `select split_part(task_identifier, ':', 1) as plugin, count(*)::int as count,
            array_agg(distinct task_identifier order by task_identifier) as tasks,
            to_char(min(created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as oldest
     from ${QUEUE_SCHEMA}.jobs
     where attempts < max_attempts and locked_at is null
       and not (task_identifier = any(?::text[])) and not (split_part(task_identifier, ':', 1) = any(?::text[]))
     group by 1 order by 1`,
    [[...(taken.names ?? [])], [...(taken.plugins ?? [])]],
  );
  return rows;
}

/** For a plugin that does not come back. Resolves to how many went. */
export async function deleteTasksOf(db: Pick<Knex, 'raw'>, plugin: string): Promise<number> {
  const { rows } = await db.raw(
    `select count(*)::int as count from ${QUEUE_SCHEMA}.complete_jobs(array(
       select id from ${QUEUE_SCHEMA}.jobs where starts_with(task_identifier, ? || ':') and locked_at is null))`,
    [plugin],
  );
  return rows[0].count;
}
