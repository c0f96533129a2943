import { once } from 'node:events';
import type { Knex } from 'knex';
import { from as copyFrom } from 'pg-copy-streams';
import type { EventRow } from './row.ts';

export interface StoredRow extends EventRow {
  counter: number;
  host_id: number | null;
  start_line: number;
  end_line: number;
}

/** Column, its type, and where its value comes from. */
const columns = [
  ['counter', 'integer'],
  ['event', 'text'],
  ['event_level', 'smallint'],
  ['event_data', 'jsonb'],
  ['failed', 'boolean'],
  ['changed', 'boolean'],
  ['uuid', 'text'],
  ['parent_uuid', 'text'],
  ['host_id', 'bigint'],
  ['host_name', 'text'],
  ['playbook', 'text'],
  ['play', 'text'],
  ['task', 'text'],
  ['role', 'text'],
  ['stdout', 'text'],
  ['open_line', 'boolean'],
  ['start_line', 'integer'],
  ['end_line', 'integer'],
  ['verbosity', 'smallint'],
  ['created', 'timestamptz'],
] as const satisfies (readonly [keyof StoredRow, string])[];

const names = columns.map(([name]) => name).join(', ');
const copyAbove = 100;

/** One statement for a few rows, COPY for many: it skips parsing and planning per row. */
export async function insertEvents(
  trx: Knex.Transaction,
  runId: number,
  partition: string,
  rows: StoredRow[],
): Promise<void> {
  const connection = await trx.client.acquireConnection();
  if (rows.length > copyAbove) return copyRows(connection, runId, partition, rows);
  const arrays = columns.map(([, type], i) => `$${i + 2}::${type}[]`).join(', ');
  await connection.query({
    text: `insert into run_events (run_id, ${names}) select $1::bigint, * from unnest(${arrays})`,
    values: [runId, ...columns.map(([name]) => rows.map((row) => row[name]))],
  });
}

async function copyRows(connection: any, runId: number, partition: string, rows: StoredRow[]): Promise<void> {
  const stream = connection.query(copyFrom(`copy ${partition} (run_id, ${names}) from stdin`));
  const stored = once(stream, 'finish');
  stream.end(rows.map((row) => copyLine(runId, row)).join(''));
  await stored;
}

function copyLine(runId: number, row: StoredRow): string {
  let line = String(runId);
  for (const [name] of columns) line += `\t${copyValue(row[name])}`;
  return `${line}\n`;
}

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function copyValue(value: string | number | boolean | null): string {
  if (value === null) return '\\N';
  if (typeof value !== 'string') return String(value);
  return /[\\\n\r\t]/.test(value) ? value.replace(/[\\\n\r\t]/g, (c) => escapes[c] as string) : value;
}
