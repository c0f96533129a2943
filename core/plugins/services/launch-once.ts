import type { RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Inserted, LaunchDoor, LaunchRequest } from '../../runs/start.ts';

interface Deps {
  db: Knex;
  launch: Pick<LaunchDoor, 'insert' | 'decide'>;
}

type Started = Pick<RunRow, 'id' | 'kind' | 'status'>;

/**
 * A launch that a mark of the plugin stands for. The run and its mark commit together, so that whoever comes again finds it; one
 * that is still `new` lost its process before it was decided, or is taken from one that is too slow, which then learns of it.
 */
export async function launchOnce(
  { db, launch }: Deps,
  { plugin, mark }: { plugin: string; mark: string },
  request: LaunchRequest,
): Promise<Started> {
  const found = await db.transaction(async (trx): Promise<Started | Inserted> => {
    await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`${plugin} ${mark}`]);
    const known: Started | undefined = await trx('runs as r')
      .join('launch_marks as m', 'm.run_id', 'r.id')
      .where({ 'm.plugin': plugin, 'm.mark': mark })
      .forUpdate('r')
      .first('r.id', 'r.kind', 'r.status');
    if (known && known.status !== 'new') return known;
    if (known) await trx('runs').where({ id: known.id }).delete();
    const inserted = await launch.insert(trx, request);
    await trx('launch_marks').insert({ plugin, mark, run_id: inserted.run.id });
    return inserted;
  });
  return 'run' in found ? (await launch.decide(found)).run : found;
}
