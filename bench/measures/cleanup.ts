import type { Knex } from 'knex';
import { onDatabase } from '../lib/bench-database.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, quantile, show } from '../lib/stats.ts';

/** `BENCH_JOBS=100000` is what the reach was set for; less by default, since 200 events of each are written first. */
const jobs = Number(process.env['BENCH_JOBS'] ?? 5000);
const eventsPerJob = 200;
const idleMs = 10_000;
const pauseMs = 20;
const warmUps = 50;

/** Old jobs with events. Whatever is run next comes behind their last table: one that runs may still come to is not dropped. */
async function fill(db: Knex): Promise<void> {
  const {
    rows: [{ from, to }],
  } = await db.raw(
    `with made as (insert into runs (kind, name, status, created, started, finished, event_count)
       select 'job', 'old ' || n, 'successful', '2020-01-01', '2020-01-01', '2020-01-01', ?::int from generate_series(1, ?::int) n returning id)
     select min(id) as from, max(id) as to from made`,
    [eventsPerJob, jobs],
  );
  for (let low = from; low <= to; low += 1000) {
    const high = Math.min(to, low + 999);
    await db.raw('select ensure_event_partition(id) from generate_series(?::bigint, ?::bigint) id', [low, high]);
    await db.raw(
      `insert into run_events (run_id, counter, event, event_data, uuid, stdout, start_line, end_line)
       select r, n, 'runner_on_ok', '{"task": "one of many"}', md5(r || '-' || n), 'ok: [localhost] => item ' || n, n, n + 1
       from generate_series(?::bigint, ?::bigint) r, generate_series(1, ?::int) n`,
      [low, high, eventsPerJob],
    );
    progress(`${high - from + 1} of ${jobs} jobs with ${eventsPerJob} events each`);
  }
  await db.raw(
    `select setval(pg_get_serial_sequence('runs', 'id'), (?::bigint / event_partition_size() + 1) * event_partition_size())`,
    [to],
  );
  await db.raw('vacuum analyze runs, run_events');
}

async function whatIsLeft(db: Knex): Promise<string[]> {
  const [{ count }] = await db('runs').where('name', 'like', 'old %').count();
  const { rows } = await db.raw(`select relname from pg_class where relname = 'run_events_0'`);
  return [...(Number(count) ? [`${count} jobs`] : []), ...rows.map(({ relname }: { relname: string }) => relname)];
}

const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs));

/** How long one request takes, again and again until `over`. */
async function asking(service: Service, over: () => boolean): Promise<number[]> {
  const found: number[] = [];
  while (!over()) {
    const began = performance.now();
    await service.call('GET', 'job_templates/?page_size=25');
    found.push(performance.now() - began);
    await pause();
  }
  return found;
}

/** The system job that removes old jobs: its time per job, and what others notice of it. */
export async function cleanup(): Promise<Figure[]> {
  return onDatabase(async (db, databaseUrl) => {
    await fill(db);
    const service = new Service({ DATABASE_URL: databaseUrl });
    try {
      await service.start();
      let asked = 0;
      await asking(service, () => (asked += 1) > warmUps);
      const until = performance.now() + idleMs;
      const idle = await asking(service, () => performance.now() > until);
      const template = (await service.call('GET', 'system_job_templates/?job_type=cleanup_jobs')).results[0].id;
      const watcher = await service.watcher();
      const body = { extra_vars: { days: 30 } };
      const { system_job: job } = await service.call('POST', `system_job_templates/${template}/launch/`, body);
      let ended = false;
      const end = watcher.ended(job).finally(() => (ended = true));
      const busy = await asking(service, () => ended);
      const status = await end;
      watcher.close();
      const { elapsed, result_stdout: said } = await service.call('GET', `system_jobs/${job}/`);
      const left = await whatIsLeft(db);
      if (status !== 'successful' || left.length) throw new Error(`${status}, ${left.join(', ')} left: ${said}`);
      const events = (jobs * eventsPerJob).toLocaleString('en');
      const [p95, before] = [quantile(busy, 0.95), quantile(idle, 0.95)];
      const worst = `worst ${show(Math.max(...busy))} and ${show(Math.max(...idle))} ms, n=${busy.length} and ${idle.length}, after ${warmUps} to warm up`;
      return [
        figure(
          'cleanup',
          `${jobs.toLocaleString('en')} jobs with ${events} events removed: time per job`,
          (Number(elapsed) * 1000) / jobs,
          'ms',
          '<=',
          1,
          `${show(Number(elapsed))} s in all`,
        ),
        figure(
          'cleanup',
          'p95 of the API meanwhile ÷ idle',
          p95 / before,
          'x',
          '<=',
          1.5,
          `${show(p95)} ÷ ${show(before)} ms; ${worst}`,
        ),
      ];
    } finally {
      await service.stop();
    }
  });
}
