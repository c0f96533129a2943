import type { Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { deleteRunEvents, dropEmptyPartitions } from '../../../events/partitions.ts';
import { awaitedSql } from '../../../runs/waiting/awaited.ts';
import {
  type Batch,
  type Cleanup,
  type CleanupDeps,
  type CleanupOptions,
  type CleanupTools,
  counted,
  inBatches,
} from './cleanup.ts';
import { createRefusals, type Refusals } from './guarded.ts';

/** What goes: runs of every kind that are over, unless one that launched them or took them over is not. */
const oldSql = ({ kinds }: Pick<CleanupDeps, 'kinds'>) =>
  `r.created < now() - ? * interval '1 day' and r.status in ('successful', 'failed', 'error', 'canceled')
  and not ${awaitedSql(kinds, 'r')}`;

interface Range {
  low: number;
  high: number;
  /** all its runs go, and no new one comes: its events go with their table */
  whole: boolean;
  /** where plugins have a say: runs may stay, so that events go with their run */
  refusals?: Refusals;
}

export const cleanupJobs: Cleanup = async (deps, options, tools) => {
  const { db } = deps;
  if (options.dry) return tellDry(deps, options.days);
  const refusals = createRefusals(deps.doors);
  const isGuarded = deps.kinds.all().some(({ kind }) => refusals.isGuarded(kind));
  const removed = new Map<string, number>();
  for (const range of await rangesOf(deps, options.days)) {
    // one after the other: the newest runs, which somebody may look at, go last
    // oxlint-disable-next-line no-await-in-loop
    for (const [kind, count] of await removeRange(deps, options, tools, isGuarded ? { ...range, refusals } : range))
      removed.set(kind, (removed.get(kind) ?? 0) + count);
    // oxlint-disable-next-line no-await-in-loop
    if (range.whole) await dropEmptyPartitions(db, deps.log);
  }
  await forgetRemoved(db);
  return `${told(removed)} removed.${refusals.told('run')}`;
};

/** Runs whose events share a table, where there is something to remove. */
async function rangesOf(deps: CleanupDeps, days: number): Promise<Range[]> {
  const old = oldSql(deps);
  const { rows } = await deps.db.raw(
    `select size * part as low, size * (part + 1) as high,
       size * (part + 1) <= (select max(id) from runs)
         and not exists (select from runs r where r.id >= size * part and r.id < size * (part + 1) and not (${old})) as whole
     from event_partition_size() size,
       lateral (select distinct r.id / size as part from runs r where ${old}) parts order by part`,
    [days, days],
  );
  return rows;
}

async function removeRange(
  deps: CleanupDeps,
  { days, batch }: CleanupOptions,
  tools: CleanupTools,
  { low, high, whole, refusals }: Range,
): Promise<Map<string, number>> {
  const removed = new Map<string, number>();
  const statement = refusals
    ? oldRuns(deps, 'r.*')
    : `delete from runs where id in (${oldRuns(deps, 'r.id')}) returning id, kind`;
  let from = low;
  await inBatches(tools, 'run', () =>
    deps.db.transaction(async (trx): Promise<Batch> => {
      const { rows }: { rows: OldRun[] } = await trx.raw(statement, [from, high, days, batch]);
      const gone = refusals ? await removeAllowed(trx, refusals, rows) : rows;
      // what was refused is not asked for again
      if (refusals) from = (rows.at(-1)?.id ?? from) + 1;
      // else their table is dropped at once
      if (!whole || refusals)
        await deleteRunEvents(
          trx,
          gone.map(({ id }) => id),
        );
      for (const { kind } of gone) removed.set(kind, (removed.get(kind) ?? 0) + 1);
      return { found: rows.length, removed: gone.length };
    }),
  );
  return removed;
}

type OldRun = Row & { kind: string };

const oldRuns = (deps: CleanupDeps, columns: string) =>
  `select ${columns} from runs r where r.id >= ? and r.id < ? and ${oldSql(deps)} order by r.id limit ? for update skip locked`;

/** Guards of each kind are asked about its own. */
async function removeAllowed(trx: Knex.Transaction, refusals: Refusals, rows: readonly OldRun[]): Promise<OldRun[]> {
  const allowed = new Set<number>();
  for (const [kind, ofKind] of Map.groupBy(rows, (row) => row.kind))
    // they share a connection
    // oxlint-disable-next-line no-await-in-loop
    for (const id of await refusals.allowed(trx, kind, ofKind)) allowed.add(id);
  await trx('runs')
    .whereIn('id', [...allowed])
    .delete();
  return rows.filter(({ id }) => allowed.has(id));
}

/** Templates show how their last run ended; where it was is gone. */
const forgetRemoved = (db: Knex) =>
  db.raw(
    `update templates t set last_run_id = null where t.last_run_id is not null
       and not exists (select from runs r where r.id = t.last_run_id)`,
  );

async function tellDry(deps: CleanupDeps, days: number): Promise<string> {
  const { rows } = await deps.db.raw(
    `select r.kind, count(*)::integer as count from runs r where ${oldSql(deps)} group by r.kind order by r.kind`,
    [days],
  );
  return `${told(new Map(rows.map(({ kind, count }: { kind: string; count: number }) => [kind, count])))} would be removed.`;
}

function told(counts: ReadonlyMap<string, number>): string {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const each = [...counts].map(([kind, count]) => `${kind.replaceAll('_', ' ')}: ${count}`).toSorted();
  return `${counted(all, 'run')}${each.length ? ` (${each.join(', ')})` : ''} with what they said`;
}
