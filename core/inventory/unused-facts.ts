import type { Knex } from 'knex';
import { QUEUE_SCHEMA } from '../queue/tasks.ts';

/**
 * Deletes facts that no host has any more, neither as the latest nor as the ones before. Taps are told hashes, so
 * nothing goes while a task of theirs waits, for a month at most where its plugin is off; and storing facts again renews their date (see ingest/facts.ts),
 * so that a row cannot go between being found and being pointed at.
 */
export async function deleteUnusedFacts(db: Knex): Promise<number> {
  const { rowCount } = await db.raw(
    `delete from facts f where f.created < now() - interval '7 days'
       and not exists (select from host_facts h where h.hash = f.hash)
       and not exists (select from host_facts h where h.previous_hash = f.hash)
       and not exists (select from ${QUEUE_SCHEMA}.jobs 
                       where task_identifier like '%:hook:%' and attempts < max_attempts and created_at > now() - interval '30 days')`,
  );
  return rowCount ?? 0;
}
