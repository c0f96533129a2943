import type { Knex } from 'knex';
import { z } from 'zod';
import { isRetryable } from '../descriptors/write/database-error.ts';
import type { Bus } from '../queue/bus.ts';
import type { Queue } from '../queue/queue.ts';
import type { TaskRequest } from '../queue/tasks.ts';
import type { Log } from '../observe/log.ts';
import type { Settings } from '../settings/settings.ts';
import { type LaunchDeps, launchTicks } from './launch-tick.ts';
import { showNextSchedules } from './next-of-templates.ts';
import { nextTimes } from './times.ts';

const tick = 'core:start-schedules';
const launch = 'core:launch-schedule';
/** The queue's clock knows minutes only. */
const halfMinuteS = 30;
/** Looked at, and locked, at once. */
const batch = 200;
const mostTries = 5;
/**
 * Seconds between launches of what is due together: a thousand of them take 27 s, and leave the machine to others in between. All at
 * once they took 14 s of both cores, in which the API's p95 was 9 to 14 times that of an idle service (`bench schedules`).
 */
const spacingS = 0.027;
/**
 * Launched by one task, which reads once what they share: each task is looked for, entered and ended by statements of its own. With
 * that, and with no task where nobody listens, a launch of an empty workflow takes half of the processor time that it took.
 */
const portion = 10;

const tickSchema = z.object({ schedule: z.int().positive(), at: z.string() });

export interface ScheduleDeps extends LaunchDeps {
  db: Knex;
  bus: Pick<Bus, 'notify'>;
  queue: Pick<Queue, 'define' | 'cron' | 'addTasks'>;
  settings: Pick<Settings, 'get'>;
  log: Log;
}

interface Due {
  id: number;
  rrule: string;
  next_run: string;
  /** by the clock of the database, which says what is due */
  now: string;
}

/** What a schedule that was due comes to: both times as ISO. */
interface Found extends Due {
  /** null: its rule has no more */
  following: string | null;
}

interface Claimed {
  id: number;
  at: string;
  late: boolean;
  missed_runs: 'skip' | 'catch_up_one';
  template: number;
}

/**
 * What is due, each half minute, on whatever node: each time of a schedule is claimed once, by moving the schedule on to its
 * next one in the transaction that enters the task of its launch. Neither is lost or doubled when a process dies.
 */
export function defineSchedules(deps: ScheduleDeps): void {
  const { queue } = deps;
  const unfound: Unfound = new Map();
  queue.define(tick, {
    schema: z.object({ half: z.literal(true).optional() }),
    async run({ half }) {
      const next = { name: tick, payload: { half: true }, key: `${tick}:half`, after_s: halfMinuteS };
      if (!half) await queue.addTasks(deps.db, [next]);
      await startDue(deps, nextTimes, unfound);
    },
  });
  queue.cron({ task: tick, match: '* * * * *', identifier: tick });
  queue.define(launch, {
    schema: z.union([tickSchema, z.object({ ticks: z.array(tickSchema).min(1) })]),
    maxAttempts: 10,
    lane: 'schedules',
    atOnce: 2,
    run: (due, { signal }) => launchTicks(deps, 'ticks' in due ? due.ticks : [due], { signal, spacingS }),
  });
}

/** Schedules whose next time was not found the last time that it was looked for, with the rule that they had then. */
type Unfound = Map<number, string>;

/** @param unfound what was told of already: this node says it once @returns how many launches were entered */
export async function startDue(
  deps: ScheduleDeps,
  next = nextTimes,
  unfound: Unfound = new Map<number, string>(),
): Promise<number> {
  if (deps.settings.get('DISABLE_ALL_SCHEDULES')) return 0;
  const seen: number[] = [];
  for (let started = 0; ;) {
    // each batch looks for what the ones before left
    // oxlint-disable-next-line no-await-in-loop
    const due = await lookUp(deps, seen);
    seen.push(...due.map(({ id }) => id));
    // before anything is locked: it may take longer than a transaction may be idle
    // oxlint-disable-next-line no-await-in-loop
    const found = await findNext(deps, due, { next, unfound });
    // oxlint-disable-next-line no-await-in-loop
    started += await claimPatiently(deps, found, started);
    if (due.length < batch) return started;
  }
}

async function lookUp({ db }: ScheduleDeps, seen: number[]): Promise<Due[]> {
  const { rows } = await db.raw<{ rows: Due[] }>(
    `select id, rrule, next_run, now() as now from schedules
    where enabled and next_run <= now() and id <> all (?::bigint[]) order by next_run, id limit ?`,
    [seen, batch],
  );
  return rows;
}

/** Those whose next time is known. Any other stays due until it is: its rule alone may end it. */
async function findNext(
  { log }: ScheduleDeps,
  due: readonly Due[],
  { next, unfound }: { next: typeof nextTimes; unfound: Unfound },
): Promise<Found[]> {
  if (!due.length) return [];
  const times = await next(
    due.map(({ rrule }) => rrule),
    Date.parse(due[0]!.now),
  );
  return due.flatMap((one, index) => {
    const time = times[index]!;
    if (time.status === 'rejected') {
      const fields = { schedule: one.id, err: time.reason };
      if (unfound.get(one.id) !== one.rrule)
        log.warn(fields, 'the next time of a schedule was not found; it is tried again each half minute');
      unfound.set(one.id, one.rrule);
      return [];
    }
    unfound.delete(one.id);
    return [{ ...one, following: time.value === null ? null : new Date(time.value).toISOString() }];
  });
}

/** Launches, changes of templates and other claims lock the same rows in other orders: whoever loses begins again. */
async function claimPatiently(deps: ScheduleDeps, found: readonly Found[], before: number): Promise<number> {
  for (let tries = 1; ; tries += 1)
    try {
      // oxlint-disable-next-line no-await-in-loop
      return await claim(deps, found, before);
    } catch (error) {
      if (tries === mostTries || !isRetryable(error)) throw error;
    }
}

/**
 * Those that still are what they were when their next times were found, and that nobody else is claiming.
 * @param before launches that were entered a moment ago
 */
async function claim(
  { db, bus, queue, settings, log, launch: door }: ScheduleDeps,
  found: readonly Found[],
  before: number,
): Promise<number> {
  if (!found.length) return 0;
  return db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: Claimed[] }>(claimSql, [
      Number(settings.get('SCHEDULE_MISSED_AFTER')),
      JSON.stringify(found),
    ]);
    if (!rows.length) return 0;
    await showNextSchedules(
      trx,
      rows.map(({ template }) => template),
    );
    const skipped = rows.filter(({ late, missed_runs: how }) => late && how === 'skip');
    for (const { id, at } of skipped) log.warn({ schedule: id, at }, 'a time of a schedule was missed, and is skipped');
    const going = rows.filter((one) => !skipped.includes(one));
    await queue.addTasks(trx, launches(going, { before, size: door.isGated() ? 1 : portion }));
    await bus.notify(trx, 'schedules', { schedules: rows.map(({ id }) => id) });
    return going.length;
  });
}

/** One by one where gates are asked: they may take long, and whatever is due beside is not to wait for that. */
function launches(ticks: readonly Claimed[], { before, size }: { before: number; size: number }): TaskRequest[] {
  const starts = Array.from({ length: Math.ceil(ticks.length / size) }, (_, index) => index * size);
  return starts.map((start) => ({
    name: launch,
    payload: { ticks: ticks.slice(start, start + size).map(({ id, at }) => ({ schedule: id, at })) },
    after_s: (before + start) * spacingS,
  }));
}

const claimSql = `
  with held as materialized (
    select s.id, s.next_run as at, s.next_run < now() - ? * interval '1 second' as late, n.following
    from schedules s join jsonb_to_recordset(?::jsonb) as n(id bigint, rrule text, next_run timestamptz, following timestamptz)
      on s.id = n.id and s.rrule = n.rrule and s.next_run = n.next_run
    where s.enabled for no key update of s skip locked
  ), moved as (
    update schedules s set next_run = h.following from held h where s.id = h.id
    returning s.id, h.at, h.late, s.missed_runs, s.unified_job_template_id as template
  ) select * from moved order by at, id`;
