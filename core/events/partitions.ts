import type { Knex } from 'knex';

/** Makes the partition of a run's events if it is not there yet; resolves to its name. */
export async function ensurePartition(db: Knex, runId: number): Promise<string> {
  const { rows } = await db.raw('select ensure_event_partition(?) as name', [runId]);
  return rows[0].name;
}

/** Deletes what a run said. Host summaries go with the run itself (on delete cascade). */
export async function deleteRunEvents(trx: Knex, runIds: readonly number[]): Promise<void> {
  if (runIds.length)
    await trx('run_events')
      .whereIn('run_id', runIds as number[])
      .delete();
}

/**
 * Drops every partition whose runs are all gone, except those that runs to come will use: below the newest run only.
 * Dropping locks the whole table for a moment, so it gives up quickly where a reader is in the way; the next round tries again.
 * Resolves to the names dropped.
 */
export async function dropEmptyPartitions(
  db: Knex,
  log: { warn: (fields: object, text: string) => void },
): Promise<string[]> {
  const { rows } = await db.raw(`
    select p.name, p.low from (
      select c.relname as name, substring(c.relname from '^run_events_(\\d+)$')::bigint as low
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'run_events'::regclass
    ) p
    where p.low + event_partition_size() <= (select coalesce(max(id), 0) from runs)
      and not exists (select from runs where id >= p.low and id < p.low + event_partition_size())
    order by p.low`);
  const dropped: string[] = [];
  // one transaction per partition on purpose: the lock is short and one refusal does not undo the others
  for (const { name } of rows) {
    try {
      await db.transaction(async (trx) => {
        await trx.raw(`set local lock_timeout = '2s'`);
        await trx.raw('drop table ??', [name]);
      });
      dropped.push(name);
    } catch (err) {
      log.warn({ err, partition: name }, 'an empty partition of events could not be dropped now');
      break;
    }
  }
  return dropped;
}
