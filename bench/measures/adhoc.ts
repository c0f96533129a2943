import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineCommand } from '../lib/bare.ts';
import { debugPlaybook, prepare } from '../lib/content.ts';
import { engineClock } from '../lib/engine-shim.ts';
import { latencies } from '../lib/latencies.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, quantile, show, spread } from '../lib/stats.ts';

const rounds = 4;
const counted = 10;
const warmUps = 10;

/** Ad hoc commands, in turns with jobs: both begin with the same steps, and the machine weighs on both. */
export async function adhoc(): Promise<Figure[]> {
  const clock = engineClock(mkdtempSync(join(tmpdir(), 'tapline-clock-')), engineCommand(), ['ansible']);
  const service = new Service({ ENGINE_COMMAND: clock.command });
  try {
    await service.start();
    const { template } = await prepare(service, { 'debug.yml': debugPlaybook });
    const quick = await template('quick', 'debug.yml');
    const inventory = (await service.call('GET', 'inventories/?name=Bench')).results[0].id;
    const watcher = await service.watcher();
    const command = { inventory, module_name: 'ping' };
    const jobs: number[] = [];
    const commands: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      const many = { counted, before: round === 1 ? warmUps : 0 };
      progress(`round ${round} of ${rounds}`);
      const launch = () => service.call('POST', `job_templates/${quick}/launch/`, {});
      jobs.push(...(await latencies(launch, clock, ({ job }) => watcher.ended(job), many)));
      const give = () => service.call('POST', 'ad_hoc_commands/', command);
      commands.push(...(await latencies(give, clock, ({ id }) => watcher.ended(id), many)));
    }
    watcher.close();
    const detail = `${spread(commands, 'ms')}; jobs ${spread(jobs, 'ms')}: ${show(median(commands) / median(jobs))} x; after ${warmUps} to warm up`;
    return [
      figure('adhoc', 'POST → engine spawned, p50', median(commands), 'ms', '<=', 40, detail),
      figure('adhoc', 'POST → engine spawned, p95', quantile(commands, 0.95), 'ms', '<=', 120, `n=${commands.length}`),
    ];
  } finally {
    await service.stop();
    clock.close();
  }
}
