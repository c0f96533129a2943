import type { Knex } from 'knex';
import { cutText, safeText } from '../../db/safe-text.ts';
import type { Bus } from '../../queue/bus.ts';
import { ensurePartition } from '../../events/partitions.ts';
import type { Progress } from '../ingest/batch.ts';
import { verboseRow } from '../ingest/row.ts';
import { storeBatch } from '../ingest/store.ts';

interface Deps {
  db: Knex;
  bus: Bus;
}

/** A text is stored in pieces of so many characters at most. */
const longestPiece = 65_536;

/** Adds to what a run says, one event per piece of text, and tells who listens. */
export async function writeOutput({ db, bus }: Deps, run: { id: number; kind: string }, text: string): Promise<void> {
  if (!text) return;
  const closed = safeText(text.endsWith('\n') ? text : `${text}\n`);
  const rows = [];
  for (let rest = closed; rest;) {
    const piece = cutText(rest, longestPiece);
    rows.push(verboseRow(piece));
    rest = rest.slice(piece.length);
  }
  const partition = await ensurePartition(db, run.id);
  for (;;) {
    // whoever else wrote meanwhile has moved the position: it is read again
    // oxlint-disable-next-line no-await-in-loop
    const from: Progress | undefined = await db('runs')
      .where({ id: run.id })
      .first('event_offset', 'event_count', 'stdout_offset', 'stdout_lines');
    if (!from) throw new Error(`run ${run.id} is gone: nothing can be added to its output`);
    const next = {
      ...from,
      event_count: from.event_count + rows.length,
      stdout_offset: from.stdout_offset + Buffer.byteLength(closed),
      stdout_lines: from.stdout_lines + rows.reduce((sum, { lines }) => sum + lines, 0),
    };
    const batch = { rows, stats: null, next, malformed: 0, blocked: false };
    // oxlint-disable-next-line no-await-in-loop
    if (await storeBatch({ db, bus, run, partition }, from, batch, new Map())) return;
  }
}

/** Tells who listens that nothing more comes. */
export async function endOutput({ db, bus }: Deps, { id, kind }: { id: number; kind: string }): Promise<void> {
  const { event_count: last } = await db('runs').where({ id }).first('event_count');
  await bus.notify(db, 'events', { run: id, kind, from: last + 1, to: last, final: true });
}
