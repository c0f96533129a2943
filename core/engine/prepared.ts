import { createHash } from 'node:crypto';
import type { Knex } from 'knex';

export interface Statement {
  /** absent: planned each time */
  name?: string;
  text: string;
}

/** A condition that a statement answers besides what it is for: parameters are numbered from `first`. */
export interface Proof {
  sql: (first: number) => string;
  values: readonly unknown[];
}

const named = new Map<string, Statement>();
/** Each stays prepared on every connection. */
const mostNamed = 500;

/** For texts that are put together from a few parts: there should be few of them; what comes when there are many is not prepared. */
export function statement(text: string): Statement {
  let found = named.get(text);
  if (!found && named.size >= mostNamed) return { text };
  if (!found) named.set(text, (found = { name: createHash('sha1').update(text).digest('hex'), text }));
  return found;
}

/**
 * Runs a named statement on a connection of knex's pool (or of the transaction): Postgres plans it once
 * per connection, and the hot reads are spared the building of a query object each time.
 */
export async function runPrepared(db: Knex, { name, text }: Statement, values: readonly unknown[]): Promise<any[]> {
  const { client } = db;
  const connection = await client.acquireConnection();
  try {
    client.emit('query', { sql: text, bindings: values });
    const { rows } = await connection.query({ name, text, values });
    return rows;
  } finally {
    await client.releaseConnection(connection);
  }
}
