import type { Knex } from 'knex';
import { runPrepared } from '../db/prepared.ts';
import type { LaunchDoor } from '../runs/start.ts';
import type { Active } from './decide.ts';
import { dependencyOf, requestUpdates } from './request-updates.ts';
import { lockDispatch } from './situation.ts';

const lastRuns = {
  name: 'dispatch update now',
  text: `select
      (select jsonb_build_object('id', r.id, 'kind', r.kind, 'template', r.template_id) from runs r
        where r.template_id = t.id and r.status in ('pending', 'waiting', 'running') and r.shown_by_template
        order by r.id limit 1) as active,
      case when u.status = 'successful' and u.finished + t.update_cache_timeout * interval '1 second' > now() then u.id end as fresh
    from templates t left join runs u on u.id = t.last_run_id where t.id = $1`,
};

interface LastRuns {
  active: Active | null;
  fresh: number | null;
}

/**
 * Has a template run for a run that nobody queues yet: the one that is under way or that ended recently enough, else a new
 * one. Under the dispatcher's lock, so that both share what either began. Where the run itself `depends` on it, it does so
 * from here on.
 * @returns that run
 */
export async function updateNow(
  { db, launch }: { db: Knex; launch: Pick<LaunchDoor, 'insert' | 'decide'> },
  { run, template, depends }: { run: number; template: number; depends: boolean },
): Promise<number> {
  const { update, inserted } = await db.transaction(async (trx) => {
    await lockDispatch(trx);
    const [{ active, fresh }] = await runPrepared<LastRuns>(trx, lastRuns, [template]);
    if (fresh !== null && !active) {
      if (depends) await trx('run_dependencies').insert({ run_id: run, depends_on: fresh }).onConflict().ignore();
      return { update: fresh, inserted: [] };
    }
    if (active && !depends) return { update: active.id, inserted: [] };
    const made = depends
      ? await requestUpdates(trx, { launch }, [{ run, templates: [template] }], active ? [active] : [])
      : [await launch.insert(trx, dependencyOf(run, template))];
    return { update: made[0]?.run.id ?? active!.id, inserted: made };
  });
  await Promise.all(inserted.map((one) => launch.decide(one)));
  return update;
}
