import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { engineCommand } from '../lib/bare.ts';
import { debugPlaybook, prepare, sleepPlaybook } from '../lib/content.ts';
import { engineClock } from '../lib/engine-shim.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, quantile, spread } from '../lib/stats.ts';

const samples = 40;
const queued = 5000;
/** On a machine that is busy otherwise the queue is filled no further than this. */
const fillingMs = 150_000;

/** POST → the engine's process exists, one launch at a time on an otherwise idle service. */
async function latencies(
  service: Service,
  clock: Awaited<ReturnType<typeof engineClock>>,
  template: number,
): Promise<number[]> {
  const watcher = await service.watcher();
  const found: number[] = [];
  for (let i = 0; i < samples + 5; i++) {
    const began = performance.now();
    const started = clock.nextStart();
    const { job } = await service.call('POST', `job_templates/${template}/launch/`, {});
    const at = (await started) - began;
    await watcher.ended(job);
    await delay(30);
    if (i >= 5) found.push(at);
  }
  watcher.close();
  return found;
}

/** Launches accepted by eight connections; their template lets only the first of them run. */
async function acceptance(service: Service, template: number, total: number): Promise<number> {
  let left = total;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (left-- > 0) await service.call('POST', `job_templates/${template}/launch/`, {});
    }),
  );
  return total / ((performance.now() - began) / 1000);
}

/** One rate per 500 launches, until the queue is as long as it shall be. */
async function fill(service: Service, template: number): Promise<{ rates: number[]; pending: number }> {
  const rates: number[] = [];
  const began = performance.now();
  for (let pending = 0; ;) {
    if (pending >= queued || performance.now() - began > fillingMs) return { rates, pending };
    rates.push(await acceptance(service, template, 500));
    pending += 500;
    progress(`${pending} launches accepted, ${rates.at(-1)?.toFixed(0)}/s`);
  }
}

export async function start(): Promise<Figure[]> {
  const clock = await engineClock(mkdtempSync(join(tmpdir(), 'tapline-clock-')), engineCommand());
  const service = new Service({ ENGINE_COMMAND: clock.command });
  try {
    await service.start();
    const { template } = await prepare(service, { 'debug.yml': debugPlaybook, 'sleep.yml': sleepPlaybook(3600) });
    const quick = await template('quick', 'debug.yml');
    progress('starts with an empty queue');
    const none = await latencies(service, clock, quick);
    const blocked = await template('blocked', 'sleep.yml');
    const held = clock.nextStart();
    const holder = await service.call('POST', `job_templates/${blocked}/launch/`, {});
    await held;
    const { rates, pending } = await fill(service, blocked);
    const loaded = await latencies(service, clock, quick);
    await service.call('POST', `jobs/${holder.job}/cancel/`, {});
    const detail = `with ${pending} pending ${spread(loaded, 'ms')}; with none ${spread(none, 'ms')}`;
    return [
      figure('start', 'POST → engine spawned, p50', median(none), 'ms', '<=', 40, spread(none, 'ms')),
      figure('start', 'POST → engine spawned, p95', quantile(none, 0.95), 'ms', '<=', 120, `n=${none.length}`),
      figure('start', 'launches accepted, 8 connections', median(rates), '/s', '>=', 120, spread(rates, '/s')),
      figure('start', 'start with 5,000 pending ÷ none', median(loaded) / median(none), 'x', '<=', 1.5, detail),
    ];
  } finally {
    await service.stop();
    clock.close();
  }
}
