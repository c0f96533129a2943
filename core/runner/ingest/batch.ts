import { maskUrls } from './mask.ts';
import { type EventRow, type Line, type LineOptions, parseLine, textColumns, verboseRow } from './row.ts';
import { splitText } from './split.ts';
import type { Window } from './window.ts';

/** How far a run's spool is stored: the columns of runs that move with the events. */
export interface Progress {
  event_offset: number;
  event_count: number;
  stdout_offset: number;
  stdout_lines: number;
}

export interface Batch {
  rows: EventRow[];
  stats: Record<string, unknown> | null;
  next: Progress;
  malformed: number;
  /** the next event waits for text that is not in the stream yet */
  blocked: boolean;
}

/** A line of the event spool and the offset behind it. */
export interface SpoolLine {
  line: string;
  end: number;
}

export interface BatchOptions extends LineOptions {
  /** the next line, when it was too long to be kept: only its beginning */
  overlong: SpoolLine | null;
  /** Take what is there: nothing more comes, or it took too long. */
  flush: { text: boolean; tail: boolean; end: boolean };
  maxEvents: number;
  maxBytes: number;
}

/** Text of one event; what is longer goes on in `verbose` events. */
export const longestText = 2_097_152;
const longestPiece = 65_536;

/** Turns what both windows hold into rows, in order. Reads nothing, stores nothing. */
export function takeBatch(events: Window, stdout: Window, from: Progress, options: BatchOptions): Batch {
  const batch: Batch = { rows: [], stats: null, next: { ...from }, malformed: 0, blocked: false };
  const text = textReader(stdout, options);
  const addText = (to: number, last: boolean) => {
    const taken = text(batch.next.stdout_offset, to, last);
    for (const piece of taken.pieces) push(batch, verboseRow(piece));
    batch.next.stdout_offset += taken.bytes;
  };
  for (const { line, end } of options.overlong ? [options.overlong] : lines(events, options.flush.end)) {
    if (batch.rows.length >= options.maxEvents || (end - from.event_offset > options.maxBytes && batch.rows.length))
      return batch;
    const parsed = parseLine(options.overlong ? withoutData(line) : line, options);
    if (!parsed) {
      batch.malformed += line.trim() ? 1 : 0;
      batch.next.event_offset = end;
      continue;
    }
    const room = from.stdout_offset + options.maxBytes;
    if (parsed.from > room && stdout.end >= room) {
      addText(room, false);
      return batch;
    }
    if (!fits(parsed, batch, from, stdout, options)) return batch;
    addText(Math.min(parsed.from, stdout.end), true);
    push(batch, { ...parsed.row, ...ownText(parsed, batch, stdout, options) });
    batch.stats ??= parsed.stats;
    batch.next.event_offset = end;
  }
  if (options.flush.tail) addText(stdout.end, options.flush.end);
  return batch;
}

/** Is the event's text there, and is there room for it in this batch? */
function fits(
  { from: start, to }: Line,
  batch: Batch,
  from: Progress,
  stdout: Window,
  { flush, maxBytes }: BatchOptions,
): boolean {
  const wanted = Math.min(to, Math.max(start, batch.next.stdout_offset) + longestText);
  if (batch.rows.length && wanted - from.stdout_offset > maxBytes) return false;
  if (wanted <= stdout.end || flush.text) return true;
  batch.blocked = true;
  return false;
}

function ownText({ from, to }: Line, batch: Batch, stdout: Window, options: BatchOptions) {
  const start = Math.max(from, batch.next.stdout_offset);
  const end = Math.min(to, stdout.end);
  if (end <= start) return textColumns('');
  const bytes = stdout.bytes.subarray(start - stdout.offset, end - stdout.offset);
  const [first, taken] = firstPiece(bytes, options);
  batch.next.stdout_offset = start + taken;
  return textColumns(first);
}

/** The text, or of a very long one what fits into one event. */
function firstPiece(bytes: Buffer, options: BatchOptions): [string, number] {
  if (bytes.length <= longestText) return [hide(bytes.toString(), options), bytes.length];
  const { pieces, bytes: taken } = splitText(bytes.subarray(0, longestText), longestText, false, options.masker);
  return [hide(pieces.join(''), options), taken];
}

const hide = (text: string, { masker, hideUrls }: BatchOptions): string =>
  masker.text(hideUrls ? maskUrls(text) : text);

function textReader(stdout: Window, options: BatchOptions) {
  return (from: number, to: number, last: boolean): { pieces: string[]; bytes: number } => {
    if (to <= from) return { pieces: [], bytes: 0 };
    const bytes = stdout.bytes.subarray(from - stdout.offset, to - stdout.offset);
    const split = splitText(bytes, longestPiece, last, options.masker);
    return { pieces: split.pieces.map((piece) => hide(piece, options)), bytes: split.bytes };
  };
}

function push(batch: Batch, row: EventRow): void {
  batch.rows.push(row);
  batch.next.event_count += 1;
  batch.next.stdout_lines += row.lines;
}

/** Complete lines; at the end of the run also a last one without newline, which a killed process leaves torn. */
function* lines(events: Window, atEnd: boolean): Generator<SpoolLine> {
  const { bytes, offset } = events;
  let start = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, start)) {
    yield { line: bytes.toString('utf8', start, at), end: offset + at + 1 };
    start = at + 1;
  }
  if (atEnd && start < bytes.length) yield { line: bytes.toString('utf8', start), end: offset + bytes.length };
}

/** The callback writes the data last, so what stands before it is a whole event. */
function withoutData(head: string): string {
  const at = head.search(/,\s*"event_data"\s*:/);
  return at === -1 ? head : `${head.slice(0, at)}}`;
}
