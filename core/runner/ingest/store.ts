import type { Knex } from 'knex';
import type { Bus } from '../../queue/bus.ts';
import type { Batch, Progress } from './batch.ts';
import { insertEvents, type StoredRow } from './insert.ts';
import { storeStats } from './stats.ts';

export interface StoreContext {
  db: Knex;
  bus: Bus;
  run: { id: number; kind: string; summarizesHosts?: boolean };
  partition: string;
}

/**
 * Events and the position behind them commit together, and only if the position is still where the batch began:
 * whoever loses that race stores nothing and reads the new position. So nothing is lost or doubled, whoever dies when.
 */
export async function storeBatch(
  { db, bus, run, partition }: StoreContext,
  from: Progress,
  batch: Batch,
  hostIds: ReadonlyMap<string, number | null>,
): Promise<boolean> {
  const rows = numbered(from, batch, hostIds);
  return db.transaction(async (trx) => {
    const moved = await trx('runs')
      .where({ id: run.id, event_offset: from.event_offset, event_count: from.event_count })
      .update(batch.next);
    if (!moved) return false;
    if (rows.length) {
      await insertEvents(trx, run.id, partition, rows);
      if (batch.stats) await storeStats(trx, run, batch.stats, hostIds);
      const news = { run: run.id, kind: run.kind, from: from.event_count + 1, to: batch.next.event_count };
      await bus.notify(trx, 'events', news);
    }
    return true;
  });
}

function numbered(from: Progress, batch: Batch, hostIds: ReadonlyMap<string, number | null>): StoredRow[] {
  let counter = from.event_count;
  let line = from.stdout_lines;
  return batch.rows.map((row) => {
    counter += 1;
    const start_line = line;
    line += row.lines;
    return { ...row, counter, start_line, end_line: line, host_id: hostIds.get(row.host_name) ?? null };
  });
}

/** Trying the same bytes again would end the same way. */
export function failsForGood(error: unknown): boolean {
  const code = (error as { code?: string })?.code;
  // data exceptions and program limits: a document too large or nested too deep
  return typeof code === 'string' && /^(22|54)/.test(code);
}
