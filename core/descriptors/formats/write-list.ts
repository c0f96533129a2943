import { Readable } from 'node:stream';
import type { Call, ListFormat, Reply, Shown } from '@tapline/plugin-sdk';
import { blamedFor } from '../../observe/section.ts';
import type { Catalog } from '../compile.ts';
import type { Model } from '../model.ts';
import { type ListOptions, openList } from '../read/list-page.ts';
import { representFound } from '../read/represent.ts';
import { copyOut } from './copy-out.ts';
import { batches } from './cursor.ts';
import { type SqlWriter, sqlWriter } from './sql-writer.ts';
import { createWriter } from './writer.ts';

const limitMs = 600_000;
type Chunk = string | Uint8Array;

export interface WriteOptions extends ListOptions {
  /** more about the rows than the type's own representation */
  decorate?: (rows: Shown[]) => Promise<void>;
}

/** What the caller asked a list of this type to be written as; undefined for JSON. */
export const formatOf = ({ resource }: Model, { format }: Call): ListFormat | undefined =>
  format === undefined ? undefined : resource.formats?.[format];

/**
 * The whole list in another format. What is wrong from the beginning is thrown; what goes wrong later breaks the answer off.
 * @throws ApiError 400 for wrong filters, 429 and 503 where too many are being written
 */
export async function writeList(
  catalog: Catalog,
  model: Model,
  call: Call,
  format: ListFormat,
  options: WriteOptions = {},
): Promise<Reply> {
  const late = new AbortController();
  const signal = AbortSignal.any([call.signal, late.signal]);
  const text = chunks(catalog, model, call, format, { ...options, signal });
  const body = streamOf(text, await text.next());
  const timer = setTimeout(() => {
    late.abort();
    body.destroy(new Error(`the list was not written after ${limitMs / 1000} s`));
  }, limitMs).unref();
  body.once('close', () => clearTimeout(timer));
  body.once('error', (err) => {
    if (call.signal.aborted) return;
    const { requestId } = call;
    catalog.log.error({ err, ...blamedFor(err), request_id: requestId, type: model.type }, 'a list broke off');
  });
  const name = model.resource.path.replaceAll('/', '_');
  return {
    status: 200,
    type: format.media,
    headers: { 'Content-Disposition': `attachment; filename="${name}.${format.extension}"` },
    body,
  };
}

/** Ends what the generator holds when it is destroyed, also when nobody has read from it: the generator has begun. */
function streamOf(text: AsyncGenerator<Chunk>, first: IteratorResult<Chunk>): Readable {
  let begun = false;
  const texts: AsyncIterableIterator<Chunk> = {
    async next() {
      if (begun) return text.next();
      begun = true;
      return first;
    },
    return: () => text.return(undefined),
    [Symbol.asyncIterator]: () => texts,
  };
  return Readable.from(texts);
}

async function* chunks(
  catalog: Catalog,
  model: Model,
  call: Call,
  format: ListFormat,
  { signal, decorate, ...options }: WriteOptions & { signal: AbortSignal },
): AsyncGenerator<Chunk> {
  const leave = catalog.places.take(call.actor?.id ?? 0);
  try {
    const { ordered } = await openList(catalog, model, call, options);
    const bySql = sqlWriter(catalog.db, ordered, format);
    if (bySql) {
      yield* written(catalog, bySql, signal);
      return;
    }
    const { header, rows, footer } = await createWriter(model, format);
    let before = header;
    for await (const { trx, found } of batches(catalog.db, ordered(), signal)) {
      const shown = await representFound(catalog, model, found, call, 'list', trx);
      await decorate?.(shown);
      yield before + rows(shown);
      before = '';
    }
    if (before || footer) yield before + footer;
  } finally {
    leave();
  }
}

/** By the database itself. */
async function* written(
  { db }: Catalog,
  { query, options, header, convert }: SqlWriter,
  signal: AbortSignal,
): AsyncGenerator<Chunk> {
  let before = header;
  for await (const chunk of copyOut(db, { query, options, limitMs }, signal)) {
    if (before) yield before;
    before = '';
    yield convert(chunk);
  }
  if (before) yield before;
}
