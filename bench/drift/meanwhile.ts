import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from '../lib/service.ts';

const pause = 10;

/** How long a short list takes, asked for one after the other until the work is done. */
export async function answersDuring(service: Service, work: () => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  const ended = new AbortController();
  const working = work().finally(() => ended.abort());
  while (!ended.signal.aborted) {
    const began = performance.now();
    await service.call('GET', 'organizations/');
    took.push(performance.now() - began);
    await delay(pause);
  }
  await working;
  return took;
}

const megabytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** The most memory that the service's process had meanwhile, and what it had before; megabytes. */
export async function memoryDuring(service: Service, work: () => Promise<unknown>) {
  const pid = service.process!.pid!;
  const before = megabytes(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, megabytes(pid));
  }, 20);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return { before, most };
}
