import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Pair } from './hosts.ts';

export const floorTables = `create table plugin_drift.bench_snapshots (hash text, source text, content text);
  create table plugin_drift.bench_detections (source text)`;

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
};

/** The same documents read, sorted, hashed and written, before and after, with a row for each change; milliseconds. */
export async function floor(db: Knex, pairs: readonly Pair[]): Promise<number> {
  const began = performance.now();
  const together = 50;
  for (let from = 0; from < pairs.length; from += together) {
    const some = pairs.slice(from, from + together);
    const read = async (hashes: readonly string[]) =>
      (await db.raw('select hash, document::text as text from facts where hash = any (?)', [[...hashes]])).rows;
    await db.transaction(async (trx) => {
      const before = await read(some.flatMap(({ old_hash: old }) => old ?? []));
      const after = await read(some.map(({ new_hash: hash }) => hash));
      for (const { text } of before) JSON.stringify(sorted(JSON.parse(text)));
      const rows = after.map(({ hash, text }: { hash: string; text: string }) => {
        const json = JSON.stringify(sorted(JSON.parse(text)));
        return { hash: createHash('sha256').update(json).digest('hex'), source: hash, content: json };
      });
      await trx('plugin_drift.bench_snapshots').insert(rows);
      await trx('plugin_drift.bench_detections').insert(rows.map(({ source }: { source: string }) => ({ source })));
    });
  }
  return performance.now() - began;
}
