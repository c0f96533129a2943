import type { Knex } from 'knex';
import type { Found } from '../read/represent.ts';
import { beginReading } from './reading.ts';

const batchSize = 500;

/**
 * What a query selects, a batch at a time, in one read-only transaction. A cursor in SQL, since those of the libraries keep the
 * connection to themselves: the rows themselves are to be read by the same transaction between two batches.
 */
export async function* batches(
  db: Knex,
  query: Knex.QueryBuilder,
  signal: AbortSignal,
): AsyncGenerator<{ trx: Knex; found: Found[] }> {
  const { trx, close } = await beginReading(db, signal);
  try {
    const { sql, bindings } = query.toSQL();
    await trx.raw(`declare batches no scroll cursor for ${sql}`, bindings as Knex.RawBinding[]);
    for (;;) {
      signal.throwIfAborted();
      const { rows: found } = await trx.raw(`fetch ${batchSize} from batches`);
      if (found.length) yield { trx, found };
      if (found.length < batchSize) return;
    }
  } finally {
    await close();
  }
}
