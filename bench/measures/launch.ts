import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareFolder, barePlaybook, engineCommand } from '../lib/bare.ts';
import { debugPlaybook, loopPlaybook, prepare } from '../lib/content.ts';
import { engineClock } from '../lib/engine-shim.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';

/** A launch from POST until the job has ended and its last event can be read. */
async function runJob(
  service: Service,
  watcher: { ended(run: number): Promise<string> },
  template: number,
  events: number,
) {
  const began = performance.now();
  const { job } = await service.call('POST', `job_templates/${template}/launch/`, {});
  const status = await watcher.ended(job);
  const page = await service.call('GET', `jobs/${job}/job_events/?page_size=1&order_by=-counter`);
  const took = performance.now() - began;
  if (status !== 'successful') throw new Error(`job ${job} ended ${status}`);
  if (page.count < events) throw new Error(`job ${job} has ${page.count} events, expected at least ${events}`);
  return took;
}

const playbooks = { 'debug.yml': debugPlaybook, 'loop.yml': loopPlaybook(5000) };

async function overhead(): Promise<Figure> {
  const clock = engineClock(mkdtempSync(join(tmpdir(), 'tapline-clock-')), engineCommand());
  const service = new Service({ ENGINE_COMMAND: clock.command });
  try {
    await service.start();
    const { template } = await prepare(service, playbooks);
    const id = await template('debug', 'debug.yml');
    const watcher = await service.watcher();
    const extra: number[] = [];
    for (let i = 0; i < 34; i++) {
      const took = await runJob(service, watcher, id, 5);
      const lived = (clock.ends.at(-1) ?? 0) - (clock.starts.at(-1) ?? 0);
      if (i >= 4) extra.push(took - lived);
    }
    watcher.close();
    return figure(
      'launch',
      'overhead of one debug task, p50',
      median(extra),
      'ms',
      '<=',
      150,
      `service minus engine lifetime ${spread(extra, 'ms')}`,
    );
  } finally {
    await service.stop();
    clock.close();
  }
}

async function ratio(): Promise<Figure> {
  const service = new Service();
  const folder = bareFolder(playbooks);
  try {
    await service.start();
    const { template } = await prepare(service, playbooks);
    const id = await template('loop', 'loop.yml');
    const watcher = await service.watcher();
    const ours: number[] = [];
    const bare: number[] = [];
    for (let i = 0; i < 6; i++) {
      progress(`pair ${i} of 5 with 5,000 events`);
      const pair = [await barePlaybook(folder, 'loop.yml'), await runJob(service, watcher, id, 5000)] as const;
      if (i > 0) {
        bare.push(pair[0]);
        ours.push(pair[1]);
      }
    }
    watcher.close();
    const ratios = ours.map((value, i) => value / (bare[i] ?? 1));
    const detail = `service ${spread(ours, 'ms')}; bare ${spread(bare, 'ms')}; ratio ${spread(ratios, 'x')}`;
    return figure('launch', '5,000 events ÷ bare engine', median(ratios), 'x', '<=', 1.05, detail);
  } finally {
    await service.stop();
  }
}

export async function launch(): Promise<Figure[]> {
  return [await overhead(), await ratio()];
}
