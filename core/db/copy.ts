import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import { from as copyFrom } from 'pg-copy-streams';

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A value as a line of COPY holds it. */
export function copyValue(value: string | number | boolean | null): string {
  if (value === null) return '\\N';
  if (typeof value !== 'string') return String(value);
  return /[\\\n\r\t]/.test(value) ? value.replace(/[\\\n\r\t]/g, (letter) => escapes[letter]!) : value;
}

/**
 * Lines of COPY into a table within a transaction; `target` is the table with its columns. A throw of theirs ends the
 * statement, and with it the transaction. Resolves to the number of rows.
 */
export async function copyInto(
  trx: Knex.Transaction,
  target: string,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<number> {
  const connection = await trx.client.acquireConnection();
  const stream = connection.query(copyFrom(`copy ${target} from stdin`));
  await pipeline(Readable.from(lines), stream);
  return stream.rowCount;
}
