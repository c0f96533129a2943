import { ApiError, type RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { SILENT_AFTER_S } from '../../runs/reaper.ts';
import type { Inserted, LaunchDoor, LaunchRequest } from '../../runs/start.ts';

interface Deps {
  db: Knex;
  launch: Pick<LaunchDoor, 'insert' | 'decide'>;
}

/** by the clock, since the transaction may have waited for the one that inserted the run */
const isSilent = "r.modified < clock_timestamp() - ? * interval '1 second' as silent";

const undecided = () =>
  new ApiError(503, 'This launch is being decided. Ask again for what became of it.', { 'Retry-After': '5' });

interface Mark {
  plugin: string;
  mark: string;
}

/** The run that a mark stands for, as `r`. */
const marked = (db: Knex, { plugin, mark }: Mark): Knex.QueryBuilder =>
  db('runs as r')
    .join('launch_marks as m', 'm.run_id', 'r.id')
    .where({ 'm.plugin': plugin, 'm.mark': mark })
    .first('r.id', 'r.kind', 'r.status');

export const launchedOnce = async (db: Knex, mark: Mark): Promise<Started | undefined> => marked(db, mark);

type Started = Pick<RunRow, 'id' | 'kind' | 'status'>;

/**
 * A launch that a mark of the plugin stands for. The run and its mark commit together, so that whoever comes again finds it. One
 * that is still `new` is taken over only once its process is silent: taken from one that is slow, it would never be decided while
 * others come, and its taps would be asked each time.
 * @throws ApiError 503 while somebody else has it decided
 */
export async function launchOnce(
  { db, launch }: Deps,
  { plugin, mark }: Mark,
  request: LaunchRequest,
): Promise<Started> {
  const found = await db.transaction(async (trx): Promise<Started | Inserted> => {
    await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`${plugin} ${mark}`]);
    const known: (Started & { silent: boolean }) | undefined = await marked(trx, { plugin, mark })
      .select(trx.raw(isSilent, [SILENT_AFTER_S]))
      .forUpdate('r');
    if (known && known.status !== 'new') return known;
    if (known && !known.silent) throw undecided();
    if (known) await trx('runs').where({ id: known.id }).delete();
    const inserted = await launch.insert(trx, request);
    await trx('launch_marks').insert({ plugin, mark, run_id: inserted.run.id });
    return inserted;
  });
  return 'run' in found ? (await launch.decide(found)).run : found;
}
