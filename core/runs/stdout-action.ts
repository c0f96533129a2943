import { Readable } from 'node:stream';
import { type Action, ApiError, type Call, type Reply, type Row, type Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { integer, record, text as textSchema } from '../descriptors/describe/json-schema.ts';
import { createAnsiHtml, escapeHtml, stripAnsi } from '../events/ansi.ts';
import { stdoutPage } from '../events/stdout-page.ts';
import { lineCount, linesOf, runText } from '../events/stdout-text.ts';
import type { Settings } from '../settings/settings.ts';

const formats = ['txt', 'ansi', 'json', 'html', 'api', 'txt_download', 'ansi_download'] as const;
type Format = (typeof formats)[number];

interface StdoutDeps {
  db: Knex;
  settings: Settings;
}

type SpokenRun = Row & { kind: string; name: string; stdout_offset: number };

interface Wanted extends StdoutDeps {
  call: Call;
  run: SpokenRun;
}

const shown = record({
  range: record({ start: integer, end: integer, absolute_end: integer }),
  content: textSchema,
});

/** `stdout/` of a run: the text of its events, put together again byte for byte. */
export function stdoutAction({ db, settings }: StdoutDeps, see: Rule): Action {
  return {
    access: { GET: see },
    formats,
    summary: 'The standard output of the run',
    answers: { GET: [{ media: 'text/html' }, { media: 'text/plain' }, { schema: shown }] },
    async handler(call, row: SpokenRun) {
      const wanted = { db, settings, call, run: row };
      const format = formatOf(call);
      if (format.endsWith('_download')) return download(wanted, format === 'txt_download');
      const refusal = tooLarge(wanted);
      if (format === 'json') return json(wanted, refusal);
      if (format === 'txt' || format === 'ansi') return plain(wanted, format === 'txt', refusal);
      return page(wanted, refusal);
    },
  };
}

function formatOf({ query, accept = '' }: Call): Format {
  const asked = query.get('format');
  if (asked !== null) {
    if (formats.includes(asked as Format)) return asked as Format;
    throw new ApiError(404, 'Not found.');
  }
  for (const range of accept.split(',').map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '')) {
    if (
      range === '' ||
      range === '*/*' ||
      range === 'text/*' ||
      range === 'text/html' ||
      range === 'application/xhtml+xml'
    )
      return 'api';
    if (range === 'text/plain') return 'txt';
    if (range === 'application/json' || range === 'application/*') return 'json';
  }
  throw new ApiError(406, 'Could not satisfy the request Accept header.');
}

function tooLarge({ run, settings }: Wanted): string | null {
  const most = Number(settings.get('STDOUT_MAX_BYTES_DISPLAY'));
  if (run.stdout_offset <= most) return null;
  return `The output of this run has ${run.stdout_offset} bytes, more than the ${most} that are shown here. Download it to see it.`;
}

async function* pieces({ db, run }: Wanted, plainText: boolean): AsyncGenerator<string> {
  for await (const { text } of runText(db, run.id)) yield plainText ? stripAnsi(text) : text;
}

function plain(wanted: Wanted, plainText: boolean, refusal: string | null): Reply {
  return { status: 200, type: 'text/plain; charset=utf-8', body: refusal ?? Readable.from(pieces(wanted, plainText)) };
}

function download(wanted: Wanted, plainText: boolean): Reply {
  const { kind, id } = wanted.run;
  const name = `${kind}_${id}${plainText ? '' : '.ansi'}.txt`;
  return { ...plain(wanted, plainText, null), headers: { 'Content-Disposition': `attachment; filename="${name}"` } };
}

async function json(wanted: Wanted, refusal: string | null): Promise<Reply> {
  const { call, run, db } = wanted;
  const base64 = call.query.get('content_encoding') === 'base64';
  const encode = (text: string) => (base64 ? Buffer.from(text).toString('base64') : text);
  if (refusal !== null)
    return { status: 200, body: { range: { start: 0, end: 1, absolute_end: 1 }, content: encode(refusal) } };
  const range = await rangeOf(wanted);
  let text = '';
  for await (const piece of linesOf(db, run.id, range.start, range.end)) text += piece;
  return { status: 200, body: { range, content: encode(text) } };
}

async function page(wanted: Wanted, refusal: string | null): Promise<Reply> {
  const range = refusal === null ? await rangeOf(wanted) : null;
  return { status: 200, type: 'text/html; charset=utf-8', body: Readable.from(html(wanted, range, refusal)) };
}

async function* html({ db, run, call }: Wanted, range: Range | null, refusal: string | null): AsyncGenerator<string> {
  const { begin, end } = stdoutPage(`${run.name} (${run.id})`, /^(1|true)$/i.test(call.query.get('dark') ?? ''));
  const colour = createAnsiHtml();
  yield begin;
  if (!range) yield escapeHtml(refusal ?? '');
  else for await (const text of linesOf(db, run.id, range.start, range.end)) yield colour(text);
  yield end;
}

interface Range {
  start: number;
  end: number;
  absolute_end: number;
}

/** Clamped to what is there; a negative start counts from the end. */
async function rangeOf({ db, run, call }: Wanted): Promise<Range> {
  const asked = { start: lineNumber(call, 'start_line') ?? 0, end: lineNumber(call, 'end_line') };
  const absolute_end = await lineCount(db, run.id);
  const clamp = (line: number) => Math.max(0, Math.min(line < 0 ? absolute_end + line : line, absolute_end));
  const start = clamp(asked.start);
  return { start, end: Math.max(start, clamp(asked.end ?? absolute_end)), absolute_end };
}

function lineNumber({ query }: Call, name: string): number | null {
  const text = query.get(name);
  if (text === null || text === '') return null;
  if (!/^-?\d{1,9}$/.test(text)) throw new ApiError(400, `${name} must be a whole number.`);
  return Number(text);
}
