import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { onDatabase } from '../lib/bench-database.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, quantile, spread } from '../lib/stats.ts';
import { timed } from '../lib/timed.ts';

const due = Number(process.env.BENCH_SCHEDULES ?? 1000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
/** As the service counts a template's active runs before each launch. */
const templates = 10;
const minute = 60_000;

/** Two nodes on one database, whose keys and names are their own business. */
async function nodes(databaseUrl: string): Promise<[Service, Service]> {
  const node = (name: string) =>
    new Service({ DATABASE_URL: databaseUrl, TAPLINE_SECRET_KEY: 'b'.repeat(64), TAPLINE_NODE_NAME: name });
  const both: [Service, Service] = [node('one'), node('two')];
  // the first one makes what both need
  for (const service of both) await service.start();
  return both;
}

/** Of empty workflows, which need no engine: what is measured is the clock and the launch. */
async function schedules(service: Service, db: Knex): Promise<void> {
  await service.call('PATCH', 'settings/jobs/', { SCHEDULE_MAX_JOBS: due });
  for (let n = 0; n < templates; n++) {
    const { id } = await service.call('POST', 'workflow_job_templates/', {
      name: `w${n}`,
      organization: 1,
      allow_simultaneous: true,
    });
    await db.raw(
      `insert into schedules (name, unified_job_template_id, rrule, timezone, dtstart)
      select 's' || n, ?, 'DTSTART:20300101T000000Z RRULE:FREQ=DAILY;INTERVAL=1', 'UTC', '2030-01-01Z'
      from generate_series(1, ?::int) n`,
      [id, due / templates],
    );
  }
}

/** Times of GET of a page of runs, one after the other, until told to end. */
async function reading(service: Service, ended: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!ended()) {
    times.push(await timed(() => service.call('GET', 'unified_jobs/?page_size=25&order_by=-id')));
    await delay(20);
  }
  return times;
}

/** Until nothing is left to do of the runs of the round before: else the next one is measured against a machine that is not idle. */
async function settled(db: Knex): Promise<void> {
  for (;;) {
    const { rows } = await db.raw(
      `select exists (select from runs where status in ('new', 'pending', 'waiting', 'running'))
        or exists (select from tapline_jobs._private_jobs where run_at <= now() and attempts < max_attempts) as busy`,
    );
    if (!rows[0].busy) return;
    await delay(200);
  }
}

interface Round {
  /** from the minute to the last launch, seconds */
  took: number;
  idle: number;
  busy: number;
}

async function round(services: readonly [Service, Service], db: Knex): Promise<Round> {
  await settled(db);
  const until = Date.now() + 10_000;
  const idle = await reading(services[0], () => Date.now() >= until);
  // too near to the minute, the clock may have gone through it already
  const at = Math.ceil((Date.now() + 3000) / minute) * minute;
  const before = Number((await db('runs').max('id as id').first())?.['id'] ?? 0);
  await db('schedules')
    .whereLike('name', 's%')
    .whereLike('rrule', 'DTSTART:2030%')
    .update({ next_run: new Date(at) });
  await delay(Math.max(0, at - Date.now()));
  let last = 0;
  const limit = Date.now() + 2 * minute;
  const watching = (async () => {
    for (; !last && Date.now() < limit; await delay(100)) {
      const launched = await db('runs').where('id', '>', before).whereNotNull('schedule_id').pluck('id');
      if (launched.length >= due) last = Date.now();
    }
  })();
  const busy = await reading(services[0], () => last > 0 || Date.now() >= limit);
  await watching;
  const each = await db('runs')
    .where('id', '>', before)
    .whereNotNull('schedule_id')
    .groupBy('schedule_id')
    .count('id as n');
  if (each.length !== due || each.some(({ n }) => Number(n) !== 1))
    throw new Error(
      `${each.length} of ${due} schedules launched, each ${each
        .map(({ n }) => Number(n))
        .join()
        .slice(0, 100)}`,
    );
  return { took: (last - at) / 1000, idle: quantile(idle, 0.95), busy: quantile(busy, 0.95) };
}

/** So many schedules that are due in the same minute; the first round warms up. */
export const schedulesMeasure = (): Promise<Figure[]> =>
  onDatabase(async (db, databaseUrl) => {
    const services = await nodes(databaseUrl);
    try {
      await schedules(services[0], db);
      const found: Round[] = [];
      for (let n = 0; n <= rounds; n++) {
        progress(`round ${n} of ${rounds}: waits for the minute`);
        const one = await round(services, db);
        if (n > 0) found.push(one);
      }
      const took = found.map((one) => one.took);
      const ratios = found.map(({ busy, idle }) => busy / idle);
      const sides = `launching ${spread(
        found.map(({ busy }) => busy),
        'ms',
      )}; idle ${spread(
        found.map(({ idle }) => idle),
        'ms',
      )}; ratio ${spread(ratios, 'x')}`;
      return [
        figure(
          'schedules',
          `${due} due in one minute, two nodes: all launched, each once`,
          median(took),
          's',
          '<=',
          30,
          `after the minute ${spread(took, 's')}`,
        ),
        figure('schedules', 'p95 of the API meanwhile ÷ idle', median(ratios), 'x', '<=', 2, sides),
      ];
    } finally {
      for (const service of services) await service.stop();
    }
  });
