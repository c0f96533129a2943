import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Log } from '../observe/log.ts';
import { savedLaunch, type SavedLaunch, savedLists } from '../runs/saved-prompts/launch.ts';
import type { LaunchDoor, LaunchRequest } from '../runs/start.ts';
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

interface Pace {
  /** once the service stops it pauses no more */
  signal?: AbortSignal;
  /** seconds from the begin of one launch to that of the next */
  spacingS?: number;
}

/**
 * Launches what schedules stand for, once for each of their times: the run carries the time, and no two runs of a schedule
 * carry the same one. A run that was still `new` when its process died is begun again. What one of them fails of keeps no
 * other from its launch, and whoever asks for all of them again finds those launched that were.
 */
export async function launchTicks(
  deps: LaunchDeps,
  ticks: readonly Tick[],
  { signal, spacingS = 0 }: Pace = {},
): Promise<void> {
  const began = performance.now();
  const failed: unknown[] = [];
  for (const [index, due] of (await readDue(deps, ticks)).entries()) {
    const early = began + index * spacingS * 1000 - performance.now();
    // oxlint-disable-next-line no-await-in-loop
    if (early > 0) await sleep(early, undefined, { signal }).catch(() => undefined);
    // oxlint-disable-next-line no-await-in-loop
    await launchOne(deps, due).catch((err: unknown) => {
      deps.log.warn({ schedule: due.schedule.id, at: due.at, err }, 'a schedule was not launched');
      failed.push(err);
    });
  }
  if (failed.length) throw failed.length === 1 ? failed[0] : new AggregateError(failed, 'schedules were not launched');
}

/** A time of a schedule that nobody launched. */
interface Due {
  schedule: Row;
  at: string;
  lists: Parameters<typeof savedLaunch>[3];
  /** its run, which nobody decided about */
  orphan: number | null;
}

/** Without those that were deleted meanwhile, or switched off before it came to them. */
async function readDue({ db }: LaunchDeps, ticks: readonly Tick[]): Promise<Due[]> {
  const { rows } = await db.raw<{ rows: (Row & { tick_at: string; tick_run: number | null })[] }>(
    `select s.*, t.at as tick_at, r.id as tick_run
    from unnest(?::bigint[], ?::text[]) with ordinality as t(schedule, at, place) join schedules s on s.id = t.schedule
      left join runs r on r.schedule_id = s.id and r.schedule_tick = t.at::timestamptz
    where s.enabled and (r.id is null or r.status = 'new') order by t.place`,
    [ticks.map(({ schedule }) => schedule), ticks.map(({ at }) => at)],
  );
  const lists = await savedLists(
    db,
    savedOfSchedule.saved,
    rows.map(({ id }) => id),
  );
  return rows.map(({ tick_at: at, tick_run: orphan, ...schedule }) => ({
    schedule,
    at,
    orphan,
    lists: lists.get(schedule.id),
  }));
}

async function launchOne(deps: LaunchDeps, { schedule, at, lists, orphan }: Due): Promise<void> {
  const { db, log, launch, settings } = deps;
  const { id } = schedule;
  // all of them were switched off meanwhile
  if (settings.get('DISABLE_ALL_SCHEDULES')) return;
  if (orphan !== null) await db('runs').where({ id: orphan, status: 'new' }).delete();
  const template = Number(schedule['unified_job_template_id']);
  if (await hasTooMany(deps, template)) {
    log.warn({ schedule: id, at }, 'a launch is skipped: its template has SCHEDULE_MAX_JOBS active runs');
    return;
  }
  await launch.start({
    ...readable(deps, schedule, lists),
    template,
    actor: null,
    authority: null,
    // what it launches was judged when it was written
    standsFor: (schedule['modified_by_id'] ?? schedule['created_by_id']) as number | null,
    origin: { kind: 'schedule', id, client_ip: null },
    waiting: false,
    columns: { schedule_id: id, schedule_tick: at },
    denied: (trx, { until }) => catchUp(trx, schedule, until),
  });
}

/** What the schedule keeps; a launch whose secret answers nobody can read any more is kept as failed, which its people see. */
function readable(
  { keyRing, log }: LaunchDeps,
  schedule: Row,
  lists: Due['lists'],
): SavedLaunch & Pick<LaunchRequest, 'problems'> {
  try {
    return savedLaunch(keyRing, savedOfSchedule.saved, schedule, lists);
  } catch (err) {
    log.error({ schedule: schedule.id, err }, 'the secret answers of a schedule cannot be read');
    const open = savedLaunch(keyRing, savedOfSchedule.saved, { ...schedule, survey_passwords: null }, lists);
    return {
      ...open,
      problems: { extra_data: ['The secret answers of the schedule cannot be read: save them anew.'] },
    };
  }
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
