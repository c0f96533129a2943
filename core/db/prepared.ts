import { createHash } from 'node:crypto';
import type { Columns } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { allowAnswer } from './answers.ts';

export interface Statement {
  /** absent: planned each time */
  name?: string;
  text: string;
  /** bytes that it may answer, where that is more than others may */
  mostAnswered?: number;
}

/** The transaction does not wait until the disk has it: for what a crash may take back, or what a later commit brings along in the log. */
export const noWaitSql = `set_config('synchronous_commit', 'off', true)`;

/** Named queries of a statement that does several things at once; parameters are numbered from `first`. */
export interface Part {
  sql: (first: number) => string;
  values: readonly unknown[];
  /** one of its queries that has a single row and is run only when it is read */
  read?: string;
}

/** One statement of many parts, and its values: what it answers, and from which of the queries. */
export function together(parts: readonly Part[], answer: string, from: string): [Statement, unknown[]] {
  const values: unknown[] = [];
  const queries = parts.map((part) => {
    const sql = part.sql(values.length + 1);
    values.push(...part.values);
    return sql;
  });
  const sources = [from, ...parts.flatMap(({ read }) => read ?? [])];
  return [statement(`with ${queries.join(',')} select ${answer} from ${sources.join(', ')}`), values];
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
 * What its rows hold is the caller's word: nothing checks it.
 */
export async function runPrepared<R extends object = Columns>(
  db: Knex,
  { name, text, mostAnswered }: Statement,
  values: readonly unknown[],
): Promise<R[]> {
  const { client } = db;
  const connection = await client.acquireConnection();
  try {
    client.emit('query', { sql: text, bindings: values });
    if (mostAnswered !== undefined) allowAnswer(connection, mostAnswered);
    const { rows } = await connection.query({ name, text, values });
    return rows;
  } finally {
    await client.releaseConnection(connection);
  }
}

interface Built {
  toSQL(): { toNative(): { sql: string; bindings: readonly unknown[] } };
}

/** The same for a query that knex builds: its text has to be one of a few, whatever the values. */
export function runBuilt<R extends object = Columns>(db: Knex, query: Built): Promise<R[]> {
  const { sql, bindings } = query.toSQL().toNative();
  return runPrepared(db, statement(sql), bindings);
}
