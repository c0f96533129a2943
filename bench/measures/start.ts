import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { startBare } from '../lib/bare-server.ts';
import { engineCommand } from '../lib/bare.ts';
import { withPostgres } from '../lib/bench-database.ts';
import { debugPlaybook, prepare, sleepPlaybook } from '../lib/content.ts';
import { type EngineClock, engineClock } from '../lib/engine-shim.ts';
import { type Launch, latencies, warmUps } from '../lib/latencies.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, quantile, show, spread } from '../lib/stats.ts';

const queued = 5000;
/** On a machine that is busy otherwise the queue is filled no further than this. */
const fillingMs = 150_000;

/** Launches accepted by eight connections, per second. */
async function acceptance(launch: Launch, total: number): Promise<number> {
  let left = total;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (left-- > 0) await launch();
    }),
  );
  return total / ((performance.now() - began) / 1000);
}

/** One rate per 500 launches, until the queue is as long as it shall be. */
async function fill(launch: Launch): Promise<{ rates: number[]; pending: number }> {
  const rates: number[] = [];
  const began = performance.now();
  for (let pending = 0; ;) {
    if (pending >= queued || performance.now() - began > fillingMs) return { rates, pending };
    rates.push(await acceptance(launch, 500));
    pending += 500;
    progress(`${pending} launches accepted, ${rates.at(-1)?.toFixed(0)}/s`);
  }
}

const postTo =
  (pool: Pool): Launch =>
  async () => {
    const headers = { 'content-type': 'application/json' };
    const reply = await pool.request({ method: 'POST', path: '/', headers, body: '{}' });
    return (await reply.body.json()) as { job: number };
  };

/** What the least that could launch takes on this machine: Koa with one INSERT, which starts the engine itself. */
async function bareSide(clock: EngineClock): Promise<{ starts: number[]; rates: number[] }> {
  return withPostgres(async (databaseUrl) => {
    const starting = await startBare('bare-launch.ts', databaseUrl, clock.command);
    const inserting = await startBare('bare-launch.ts', databaseUrl);
    const pools = [starting, inserting].map(({ port }) => new Pool(`http://127.0.0.1:${port}`, { connections: 8 }));
    const [start, insert] = pools.map(postTo) as [Launch, Launch];
    try {
      const starts = await latencies(start, clock, () => clock.nextEnd());
      const rates: number[] = [];
      for (let i = 0; i < 5; i++) rates.push(await acceptance(insert, 500));
      return { starts, rates };
    } finally {
      await Promise.all(pools.map((pool) => pool.destroy()));
      await starting.stop();
      await inserting.stop();
    }
  });
}

const against = (ours: number[], bare: number[], unit: string) =>
  `${spread(ours, unit)}; bare ${spread(bare, unit)}: ${show(median(ours) / median(bare))} x`;

export async function start(): Promise<Figure[]> {
  const clock = engineClock(mkdtempSync(join(tmpdir(), 'tapline-clock-')), engineCommand());
  const service = new Service({ ENGINE_COMMAND: clock.command });
  try {
    progress('the bare side');
    const bare = await bareSide(clock);
    await service.start();
    const { template } = await prepare(service, { 'debug.yml': debugPlaybook, 'sleep.yml': sleepPlaybook(900) });
    const quick = await template('quick', 'debug.yml');
    const launching = (id: number) => () => service.call('POST', `job_templates/${id}/launch/`, {});
    progress('starts with an empty queue');
    const watcher = await service.watcher();
    const none = await latencies(launching(quick), clock, ({ job }) => watcher.ended(job));
    const blocked = await template('blocked', 'sleep.yml');
    const held = clock.nextStart();
    const holder = await service.call('POST', `job_templates/${blocked}/launch/`, {});
    await held;
    const { rates, pending } = await fill(launching(blocked));
    const loaded = await latencies(launching(quick), clock, ({ job }) => watcher.ended(job));
    watcher.close();
    await service.call('POST', `jobs/${holder.job}/cancel/`, {});
    const detail = `with ${pending} pending ${spread(loaded, 'ms')}; with none ${spread(none, 'ms')}`;
    return [
      figure('start', 'POST → engine spawned, p50', median(none), 'ms', '<=', 40, against(none, bare.starts, 'ms')),
      figure(
        'start',
        'POST → engine spawned, p95',
        quantile(none, 0.95),
        'ms',
        '<=',
        120,
        `worst ${show(Math.max(...none))} ms, n=${none.length}, after ${warmUps} to warm up`,
      ),
      figure(
        'start',
        'launches accepted, 8 connections',
        median(rates),
        '/s',
        '>=',
        120,
        against(rates, bare.rates, '/s'),
      ),
      figure('start', 'start with 5,000 pending ÷ none', median(loaded) / median(none), 'x', '<=', 1.5, detail),
    ];
  } finally {
    await service.stop();
    clock.close();
  }
}
