import type { Knex } from 'knex';
import { lockDispatch } from '../../../dispatch/situation.ts';
import type { Bus } from '../../../queue/bus.ts';
import { runEnded } from '../../../runs/run-ended.ts';
import type { Inserted, LaunchDoor } from '../../../runs/start.ts';

interface Deps {
  db: Knex;
  bus: Bus;
  launch: Pick<LaunchDoor, 'insert' | 'decide'>;
}

interface Source {
  id: number;
  current_run_id: number | null;
}

const patienceMs = 120_000;

/**
 * Has the sources of an inventory updated that are not recent enough, once for all who call at the same time.
 * Resolves to whether there was anything to update. @throws the signal's reason, or that it took too long
 */
export async function refreshSources(
  { db, bus, launch }: Deps,
  template: number,
  sources: readonly number[],
  gone: AbortSignal,
): Promise<boolean> {
  if (!sources.length) return false;
  const { runs, inserted } = await db.transaction(async (trx) => {
    await lockDispatch(trx);
    const stale: Source[] = await trx('templates')
      .whereIn('id', [...sources])
      .whereRaw(
        `not (status = 'successful' and coalesce(last_job_run, '-infinity') + update_cache_timeout * interval '1 second' > now())`,
      )
      .orderBy('id')
      .select('id', 'current_run_id');
    const made: Inserted[] = [];
    for (const { id } of stale.filter((source) => source.current_run_id === null))
      // they share the transaction, and there is seldom more than one
      // oxlint-disable-next-line no-await-in-loop
      made.push(await launch.insert(trx, updateOf(template, id)));
    const underWay = stale.flatMap((source) => source.current_run_id ?? []);
    return { runs: [...underWay, ...made.map(({ run }) => run.id)], inserted: made };
  });
  await Promise.all(inserted.map((one) => launch.decide(one)));
  const signal = AbortSignal.any([gone, AbortSignal.timeout(patienceMs)]);
  await Promise.all(runs.map((run) => runEnded({ db, bus }, run, signal)));
  return runs.length > 0;
}

const updateOf = (template: number, source: number) => ({
  template: source,
  prompts: {},
  actor: null,
  authority: null,
  origin: { kind: 'dependency', id: template, client_ip: null },
  waiting: false,
});
