import { finished } from 'node:stream/promises';
import type { Knex } from 'knex';
import { to as copyTo } from 'pg-copy-streams';
import { beginReading } from './reading.ts';

export interface CopyOut {
  query: Knex.QueryBuilder;
  /** of COPY */
  options: string;
  /** the database gives up after it */
  limitMs: number;
}

/**
 * What a query selects, written by the database itself. It goes on only as fast as the answer is taken, and no row becomes a value of
 * ours: a million of them are one buffer after the other.
 */
export async function* copyOut(
  db: Knex,
  { query, options, limitMs }: CopyOut,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const { trx, cancel, close } = await beginReading(db, signal);
  try {
    await trx.raw(`select set_config('statement_timeout', ?, true)`, [String(limitMs)]);
    signal.throwIfAborted();
    const connection = await trx.client.acquireConnection();
    // COPY takes no parameters: the query builder writes the values as literals
    const stream = connection.query(copyTo(`copy (${query.toQuery()}) to stdout (${options})`));
    let over = false;
    stream.once('end', () => (over = true));
    stream.once('error', () => (over = true));
    try {
      yield* stream.iterator({ destroyOnReturn: false });
    } finally {
      // left early, it must be read to its end all the same: the connection is needed again
      if (!over) {
        await cancel();
        await finished(stream.resume()).catch(() => undefined);
      }
    }
  } finally {
    await close();
  }
}
