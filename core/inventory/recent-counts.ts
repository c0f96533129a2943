import type { Knex } from 'knex';
import { inventorySummaries } from './counts.ts';

type Summary = Record<string, unknown>;

/** Jobs are polled many times a second, and hosts are counted row by row. */
const maxAgeMs = 5_000;
const maxKnown = 1_000;

interface Known {
  until: number;
  summary: Promise<Summary | undefined>;
}

const knownOf = new WeakMap<Knex, Map<number, Known>>();

/**
 * What an inventory counts, for what only mentions it: at most a few seconds old, and one statement for all that are
 * not known. Counters kept with the hosts would make every job that ends wait for the others of its inventory.
 */
export async function recentCounts(db: Knex, ids: Iterable<number>): Promise<Map<number, Summary>> {
  const known = knownOf.get(db) ?? new Map<number, Known>();
  knownOf.set(db, known);
  const now = Date.now();
  const wanted = [...new Set(ids)];
  const missing = wanted.filter((id) => !((known.get(id)?.until ?? 0) > now));
  if (missing.length) ask(db, known, missing, now + maxAgeMs);
  const found = await Promise.all(wanted.map(async (id) => [id, await known.get(id)!.summary] as const));
  return new Map(found.filter((one): one is readonly [number, Summary] => one[1] !== undefined));
}

function ask(db: Knex, known: Map<number, Known>, ids: readonly number[], until: number): void {
  const asked = inventorySummaries(db, ids);
  if (known.size + ids.length > maxKnown) known.clear();
  for (const id of ids) {
    const summary = asked.then((found) => found.get(id));
    const entry = { until, summary };
    known.set(id, entry);
    // whoever asks next tries again
    summary.catch(() => void (known.get(id) === entry && known.delete(id)));
  }
}
