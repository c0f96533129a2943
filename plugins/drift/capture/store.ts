import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import { touchedByUs } from './attribute.ts';
import type { NewSnapshot } from './history.ts';
import type { LatestSnapshot } from './plans.ts';

type Tables = Pick<PluginApi, 'table'>;

/** What a new snapshot follows on. */
type Before = Pick<LatestSnapshot, 'id' | 'job_id'> & { captured_at: string | null };

/** @returns how many detections there are */
export async function storeSnapshots(
  { table }: Tables,
  trx: Knex,
  snapshots: readonly NewSnapshot[],
  latest: ReadonlyMap<number, LatestSnapshot>,
): Promise<number> {
  if (!snapshots.length) return 0;
  const { rows } = await trx.raw(
    `select nextval(pg_get_serial_sequence(?, 'id'))::bigint as id, (select array_agg(id) from core_runs where id = any (?)) as runs
     from generate_series(1, ?)`,
    [table('snapshots'), snapshots.flatMap(({ job_id: run }) => run ?? []), snapshots.length],
  );
  const runs = new Set<number>((rows[0].runs ?? []).map(Number));
  const bases = await storeBases({ table }, trx, snapshots, latest);
  const stored = snapshots.map((snapshot, at) => {
    const job = snapshot.job_id !== null && runs.has(snapshot.job_id) ? snapshot.job_id : null;
    return { ...snapshot, job_id: job, id: Number(rows[at].id), base_id: bases[at]! };
  });
  await trx(table('snapshots')).insert(stored.map(rowOf));
  const last = new Map<number, Before>(latest);
  const pairs = stored.flatMap((after) => {
    const before = last.get(after.host_id);
    last.set(after.host_id, { id: after.id, job_id: after.job_id, captured_at: null });
    return before && after.differences.length ? [{ before, after }] : [];
  });
  return storeDetections({ table }, trx, pairs);
}

/** @returns the base of each snapshot: a new one, or that of the snapshot before it */
async function storeBases(
  { table }: Tables,
  trx: Knex,
  snapshots: readonly NewSnapshot[],
  latest: ReadonlyMap<number, LatestSnapshot>,
): Promise<(number | null)[]> {
  const news = snapshots.flatMap(({ host_id, base }) => (base ? [{ host_id, content: bytesOf(base) }] : []));
  const made: { id: number }[] = news.length ? await trx(table('bases')).insert(news).returning('id') : [];
  const ids = made.values();
  const current = new Map([...latest].map(([host, { base_id: base }]) => [host, base]));
  return snapshots.map(({ host_id: host, base }) => {
    if (base) current.set(host, Number(ids.next().value!.id));
    return current.get(host) ?? null;
  });
}

function rowOf(snapshot: NewSnapshot & { id: number; base_id: number | null }) {
  const { differences: _differences, base: _base, content, ...row } = snapshot;
  return { ...row, content: bytesOf(content) };
}

/** A copy from a thread is no buffer any more, which is what the driver takes for bytes. */
const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength);

interface Pair {
  before: Before;
  after: NewSnapshot & { id: number };
}

async function storeDetections({ table }: Tables, trx: Knex, pairs: readonly Pair[]): Promise<number> {
  const expected = await touchedByUs(
    trx,
    pairs.map(({ before, after }) => ({
      host: after.host_id,
      from: before.job_id,
      since: before.captured_at,
      to: after.job_id,
    })),
  );
  const rows = pairs.flatMap(({ before, after }, at) =>
    after.differences.map((difference) => ({
      ...difference,
      host_id: after.host_id,
      inventory_id: after.inventory_id,
      organization_id: after.organization_id,
      snapshot_before_id: before.id,
      snapshot_after_id: after.id,
      job_id: after.job_id,
      attribution: expected.has(at) ? 'expected' : 'out_of_band',
    })),
  );
  const together = 500;
  for (let from = 0; from < rows.length; from += together)
    // of one transaction
    // oxlint-disable-next-line no-await-in-loop
    await trx(table('detections')).insert(rows.slice(from, from + together));
  return rows.length;
}
