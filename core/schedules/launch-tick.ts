import type { Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Log } from '../observe/log.ts';
import { savedLaunches } from '../runs/saved-prompts/launch.ts';
import type { LaunchDoor } from '../runs/start.ts';
import { activeStatuses } from '../runs/states.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Settings } from '../settings/settings.ts';
import { showNextSchedules } from './next-of-templates.ts';
import { savedOfSchedule } from './saved.ts';

export interface LaunchDeps {
  db: Knex;
  launch: LaunchDoor;
  keyRing: KeyRing;
  settings: Pick<Settings, 'get'>;
  log: Log;
}

/** One time at which a schedule was due. */
export interface Tick {
  schedule: number;
  at: string;
}

/**
 * Launches what a schedule stands for, once for each of its times: the run carries the time, and no two runs of a schedule
 * carry the same one. A run that was still `new` when its process died is begun again.
 */
export async function launchTick(deps: LaunchDeps, { schedule: id, at }: Tick): Promise<void> {
  const { db, log, launch } = deps;
  const schedule: Row | undefined = await db('schedules').where({ id }).first();
  // deleted meanwhile, or switched off before it came to it, by itself or with all others
  if (!schedule?.['enabled'] || deps.settings.get('DISABLE_ALL_SCHEDULES')) return;
  const tick = { schedule_id: id, schedule_tick: at };
  const started = await db('runs').where(tick).first('id', 'status');
  if (started && started.status !== 'new') return;
  if (started) await db('runs').where({ id: started.id, status: 'new' }).delete();
  const template = Number(schedule['unified_job_template_id']);
  if (await hasTooMany(deps, template)) {
    log.warn({ schedule: id, at }, 'a launch is skipped: its template has SCHEDULE_MAX_JOBS active runs');
    return;
  }
  const saved = (await savedLaunches(deps, savedOfSchedule.saved, [schedule])).get(id)!;
  await launch.start({
    ...saved,
    template,
    actor: null,
    authority: null,
    // what it launches was judged when it was written
    standsFor: (schedule['modified_by_id'] ?? schedule['created_by_id']) as number | null,
    origin: { kind: 'schedule', id, client_ip: null },
    waiting: false,
    columns: tick,
    denied: (trx, { until }) => catchUp(trx, schedule, until),
  });
}

/** What a gate keeps away for a time is as good as missed: a schedule that catches up is due again when the time is over. */
async function catchUp(trx: Knex, { id, missed_runs: how }: Row, until: string | undefined): Promise<void> {
  if (until === undefined || how !== 'catch_up_one') return;
  const again = trx.raw('least(next_run, greatest(?::timestamptz, now()))', [until]);
  await trx('schedules').where({ id, enabled: true }).update({ next_run: again });
  const template = await trx('schedules').where({ id }).first('unified_job_template_id');
  if (template) await showNextSchedules(trx, [Number(template.unified_job_template_id)]);
}

async function hasTooMany({ db, settings }: LaunchDeps, template: number): Promise<boolean> {
  const most = Number(settings.get('SCHEDULE_MAX_JOBS'));
  const active = await db('runs')
    .where({ template_id: template })
    .whereIn('status', activeStatuses)
    .limit(most)
    .select('id');
  return active.length >= most;
}
