import type { Knex } from 'knex';

const most = 5_000_000;
/** few enough that no statement takes long */
const step = 20_000;

/** Traces are kept for so many days, and five million of them at most. */
export async function deleteOldTraces(db: Knex, days: number): Promise<number> {
  const { rows } = await db.raw(
    `select (select min(id) from hook_traces) as first,
            greatest((select max(id) from hook_traces where created < now() - make_interval(days => ?)),
                     (select max(id) from hook_traces) - ?) as last`,
    [days, most],
  );
  const { first, last } = rows[0] as { first: number | null; last: number | null };
  let removed = 0;
  if (first === null || last === null) return 0;
  for (let id = first; id <= last; id += step)
    // one after the other, so that nobody waits for a long transaction
    // oxlint-disable-next-line no-await-in-loop
    removed += await db('hook_traces')
      .whereBetween('id', [id, Math.min(last, id + step - 1)])
      .delete();
  return removed;
}
