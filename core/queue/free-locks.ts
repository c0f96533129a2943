import { QUEUE_SCHEMA } from './tasks.ts';

/**
 * Of pools of workers that are gone: what they had begun would wait for four hours, and all tasks of its queue with it. A task that
 * may be tried once stays as one that was given up, and says why.
 */
const statements = [
  `update ${QUEUE_SCHEMA}._private_jobs set updated_at = now(), last_error = 'It was cut short: what ran it ended.'
   where locked_by = any ($1) and attempts >= max_attempts`,
  `select ${QUEUE_SCHEMA}.force_unlock_workers($1)`,
];

/** @param pools their ids, which are what locks carry */
export async function freeLocks(
  query: (sql: string, values: unknown[]) => Promise<unknown>,
  pools: readonly string[],
): Promise<void> {
  if (!pools.length) return;
  // the second takes away what the first goes by
  // oxlint-disable-next-line no-await-in-loop
  for (const sql of statements) await query(sql, [pools]);
}
