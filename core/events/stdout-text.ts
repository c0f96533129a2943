import type { Knex } from 'knex';

interface TextRow {
  counter: number;
  stdout: string;
  open_line: boolean;
  start_line: number;
  end_line: number;
}

/** Rows of one query: by number, and by bytes, since one event may hold megabytes. */
const pageRows = 2000;
const pageBytes = 1_048_576;

/** What an event printed, byte for byte: the stored text lacks its final newline unless it had none. */
export const textOfEvent = ({ stdout, open_line, start_line, end_line }: Omit<TextRow, 'counter'>): string =>
  open_line || (stdout === '' && end_line === start_line) ? stdout : `${stdout}\n`;

/**
 * A run's output in pieces, from the events that touch the lines `from` to `to`; reads on as it is consumed,
 * so that a hundred megabytes pass through without being held. The first piece begins at `firstLine` of the first event.
 */
export async function* runText(
  db: Knex,
  runId: number,
  lines: { from: number; to: number } | null = null,
): AsyncGenerator<{ text: string; startLine: number }> {
  for (let after = 0; ;) {
    const rows = await page(db, runId, after, lines);
    if (!rows.length) return;
    yield { text: rows.map(textOfEvent).join(''), startLine: (rows[0] as TextRow).start_line };
    after = (rows.at(-1) as TextRow).counter;
  }
}

async function page(
  db: Knex,
  runId: number,
  after: number,
  lines: { from: number; to: number } | null,
): Promise<TextRow[]> {
  const { rows } = await db.raw(
    `select counter, stdout, open_line, start_line, end_line from (
       select *, sum(octet_length(stdout)) over (order by counter) - octet_length(stdout) as before from (
         select counter, stdout, open_line, start_line, end_line from run_events
         where run_id = :runId and counter > :after and (stdout <> '' or end_line > start_line)
           ${lines ? 'and start_line < :to and end_line >= :from' : ''}
         order by counter limit ${pageRows}) e) p
     where before < ${pageBytes} order by counter`,
    { runId, after, ...lines },
  );
  return rows;
}

/** How many lines there are, an unfinished last one included. */
export async function lineCount(db: Knex, runId: number): Promise<number> {
  const { rows } = await db.raw(
    `select r.stdout_lines + coalesce((select open_line::int from run_events where run_id = r.id and (stdout <> '' or end_line > start_line) order by counter desc limit 1), 0) as lines
     from runs r where r.id = ?`,
    [runId],
  );
  return rows[0]?.lines ?? 0;
}

/** Only the lines `from` (inclusive) to `to` (exclusive). */
export async function* linesOf(db: Knex, runId: number, from: number, to: number): AsyncGenerator<string> {
  let line: number | null = null;
  for await (const { text, startLine } of runText(db, runId, { from, to })) {
    line ??= startLine;
    let begin = 0;
    for (; line < from && begin < text.length; line += 1) begin = text.indexOf('\n', begin) + 1 || text.length;
    let end = begin;
    while (end < text.length && line < to) {
      const next = text.indexOf('\n', end) + 1;
      end = next || text.length;
      if (next) line += 1;
    }
    if (end > begin) yield text.slice(begin, end);
    if (line >= to) return;
  }
}
