import { setTimeout as delay } from 'node:timers/promises';
import { bareFolder, barePlaybook, engineCommand, timed } from '../lib/bare.ts';
import { prepare } from '../lib/content.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';

const jobs = 20;
const slots = 4;

const playbook = `- hosts: all
  gather_facts: false
  tasks:
    - command: sleep 0.5
    - debug:
        msg: one
    - command: sleep 0.5
    - debug:
        msg: two
`;

async function viaService(
  service: Service,
  watcher: { ended(run: number): Promise<string> },
  template: number,
): Promise<number> {
  const began = performance.now();
  const runs: number[] = [];
  for (let i = 0; i < jobs; i++) runs.push((await service.call('POST', `job_templates/${template}/launch/`, {})).job);
  for (const run of runs) {
    const status = await watcher.ended(run);
    if (status !== 'successful') throw new Error(`job ${run} ended ${status}`);
  }
  return performance.now() - began;
}

const viaXargs = (folder: string) =>
  timed('/bin/sh', ['-c', `seq ${jobs} | xargs -P${slots} -I{} ${engineCommand()} -i inventory.json job.yml`], {
    cwd: folder,
  });

/** The node joins a moment after the first ping. */
async function ownNode(service: Service): Promise<{ capacity: number }> {
  for (let tries = 0; tries < 100; tries++) {
    const { results } = await service.call('GET', 'instances/');
    if (results[0]?.capacity > 0) return results[0];
    await delay(100);
  }
  throw new Error('the node did not join');
}

export async function parallel(): Promise<Figure[]> {
  const service = new Service();
  const folder = bareFolder({ 'job.yml': playbook });
  try {
    await service.start();
    const { template } = await prepare(service, { 'job.yml': playbook });
    const instance = await ownNode(service);
    // a job takes forks + 1 units of its node's capacity: this many forks make exactly four slots
    const forks = Math.floor(instance.capacity / slots) - 1;
    const id = await template('parallel', 'job.yml', { allow_simultaneous: true, forks });
    const watcher = await service.watcher();
    await barePlaybook(folder, 'job.yml');
    const ours: number[] = [];
    const bare: number[] = [];
    for (let i = 0; i < 3; i++) {
      progress(`round ${i + 1} of 3`);
      bare.push(await viaXargs(folder));
      ours.push(await viaService(service, watcher, id));
    }
    watcher.close();
    const ratios = ours.map((value, i) => value / (bare[i] ?? 1));
    const detail = `${slots} slots of ${instance.capacity} units; service ${spread(ours, 'ms')}; xargs ${spread(bare, 'ms')}; ratio ${spread(ratios, 'x')}`;
    return [figure('parallel', `makespan of ${jobs} jobs ÷ xargs -P${slots}`, median(ratios), 'x', '<=', 1.2, detail)];
  } finally {
    await service.stop();
  }
}
