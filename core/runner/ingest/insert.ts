import { once } from 'node:events';
import type { Knex } from 'knex';
import { from as copyFrom } from 'pg-copy-streams';
import { runPrepared, statement } from '../../engine/prepared.ts';
import type { Progress } from './batch.ts';
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
/** More than these go by COPY: it skips parsing and planning per row. */
const copyAbove = 100;
export const isFew = (rows: readonly unknown[]) => rows.length <= copyAbove;

const columnsOf = (rows: readonly StoredRow[]) => columns.map(([name]) => rows.map((row) => row[name]));
const arraysFrom = (first: number) => columns.map(([, type], i) => `$${i + first}::${type}[]`).join(', ');

const insertFew = statement(
  `insert into run_events (run_id, ${names}) select $1::bigint, * from unnest(${arraysFrom(2)})`,
);

export async function insertEvents(
  trx: Knex.Transaction,
  runId: number,
  partition: string,
  rows: StoredRow[],
): Promise<void> {
  if (isFew(rows)) await runPrepared(trx, insertFew, [runId, ...columnsOf(rows)]);
  else await copyRows(await trx.client.acquireConnection(), runId, partition, rows);
}

const moveAndInsertFew = statement(
  `with moved as (
     update runs set event_offset = $2, event_count = $3, stdout_offset = $4, stdout_lines = $5
     where id = $1 and event_offset = $6 and event_count = $7 returning id),
   stored as (
     insert into run_events (run_id, ${names})
     select moved.id, event.* from moved cross join unnest(${arraysFrom(10)}) as event)
   select pg_notify($8, $9) from moved`,
);

/** What storing a batch takes, in one statement: most batches are a few lines, and a round trip costs more than they. */
export async function moveAndInsert(
  db: Knex,
  run: number,
  [from, to]: [from: Progress, to: Progress],
  rows: readonly StoredRow[],
  parcel: readonly [channel: string, payload: string],
): Promise<boolean> {
  const position = [to.event_offset, to.event_count, to.stdout_offset, to.stdout_lines];
  const before = [from.event_offset, from.event_count];
  const told = await runPrepared(db, moveAndInsertFew, [run, ...position, ...before, ...parcel, ...columnsOf(rows)]);
  return told.length > 0;
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
