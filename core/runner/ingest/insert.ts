import { once } from 'node:events';
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { copyValue } from '../../db/copy.ts';
import { runPrepared, statement } from '../../db/prepared.ts';
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
  ['start_line', 'bigint'],
  ['end_line', 'bigint'],
  ['verbosity', 'smallint'],
  ['created', 'timestamptz'],
] as const satisfies (readonly [keyof StoredRow, string])[];

const names = columns.map(([name]) => name).join(', ');
/** More than these go by COPY: it skips parsing and planning per row. */
const copyAbove = 100;

const columnsOf = (rows: readonly StoredRow[]) => columns.map(([name]) => rows.map((row) => row[name]));
const arrays = columns.map(([, type], index) => `$${index + 2}::${type}[]`).join(', ');

const insertFew = statement(`insert into run_events (run_id, ${names}) select $1::bigint, * from unnest(${arrays})`);

export async function insertEvents(
  trx: Knex.Transaction,
  runId: number,
  partition: string,
  rows: StoredRow[],
): Promise<void> {
  if (rows.length <= copyAbove) await runPrepared(trx, insertFew, [runId, ...columnsOf(rows)]);
  else await copyRows(await trx.client.acquireConnection(), runId, partition, rows);
}

async function copyRows(connection: ClientBase, runId: number, partition: string, rows: StoredRow[]): Promise<void> {
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
