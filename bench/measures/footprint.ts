import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { debugPlaybook, prepare } from '../lib/content.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';

/** All processes below one, itself included, by the kernel's own parent links. */
function tree(root: number): { pid: number; name: string }[] {
  const processes = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const text = readFileSync(`/proc/${entry}/stat`, 'utf8');
        const close = text.lastIndexOf(')');
        return [
          {
            pid: Number(entry),
            name: text.slice(text.indexOf('(') + 1, close),
            parent: Number(text.slice(close + 2).split(' ')[1]),
          },
        ];
      } catch {
        return []; // it ended while we looked
      }
    });
  const found = new Set([root]);
  for (let grown = true; grown;) {
    grown = false;
    for (const { pid, parent } of processes) {
      if (!found.has(pid) && found.has(parent)) grown = found.add(pid) !== undefined;
    }
  }
  return processes.filter(({ pid }) => found.has(pid));
}

/** Proportional set size in MB: memory that processes share is counted once. */
function pss(pid: number): number {
  const line = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
}

/** What somebody waits for who has just started it: the first thing that is stored, and the first job, to its end. */
async function firstUse(service: Service): Promise<{ write: number; job: number }> {
  const began = performance.now();
  await service.call('POST', 'organizations/', { name: 'first' });
  const write = performance.now() - began;
  const { template } = await prepare(service, { 'debug.yml': debugPlaybook });
  const id = await template('first', 'debug.yml');
  const watcher = await service.watcher();
  const launched = performance.now();
  const { job } = await service.call('POST', `job_templates/${id}/launch/`, {});
  await watcher.ended(job);
  watcher.close();
  return { write, job: performance.now() - launched };
}

export async function footprint(): Promise<Figure[]> {
  const first: number[] = [];
  const again: number[] = [];
  const memory: number[] = [];
  const writes: number[] = [];
  const jobs: number[] = [];
  for (let i = 0; i < 3; i++) {
    progress(`data folder ${i + 1} of 3`);
    const service = new Service();
    try {
      first.push(await service.start());
      const { write, job } = await firstUse(service);
      writes.push(write);
      jobs.push(job);
      await service.stop({ keep: true });
      for (let j = 0; j < 3; j++) {
        again.push(await service.start());
        if (j === 2) {
          await delay(10_000);
          const ours = tree(service.process?.pid ?? 0).filter(({ name }) => !name.startsWith('postgres'));
          memory.push(ours.reduce((sum, { pid }) => sum + pss(pid), 0));
        }
        await service.stop({ keep: j < 2 });
      }
    } finally {
      if (service.process?.exitCode === null) await service.stop();
    }
  }
  return [
    figure('footprint', 'idle PSS without Postgres', median(memory), 'MB', '<=', 250, spread(memory, 'MB')),
    figure(
      'footprint',
      'start to first ping, migrated database',
      median(again),
      'ms',
      '<=',
      1300,
      `embedded Postgres included; ${spread(again, 'ms')}`,
    ),
    figure('footprint', 'empty data folder to ready', median(first), 'ms', '<=', 10_000, spread(first, 'ms')),
    figure('footprint', 'first write after that', median(writes), 'ms', '<=', 500, spread(writes, 'ms')),
    figure('footprint', 'first job, from POST to its end', median(jobs), 'ms', '<=', 5000, spread(jobs, 'ms')),
  ];
}
