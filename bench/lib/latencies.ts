import { setTimeout as delay } from 'node:timers/promises';
import type { EngineClock } from './engine-shim.ts';

const samples = 40;
/**
 * A service that has just begun compiles its code and prepares its statements, which Postgres plans anew the first five times on each
 * connection: neither is what a start costs. After 20 the median of 40 was 38.7 ms, where it is 31.4.
 */
export const warmUps = 60;

export type Launch<Told = { job: number }> = () => Promise<Told>;

/** POST → the engine's process exists, one launch at a time on an otherwise idle service. */
export async function latencies<Told>(
  launch: Launch<Told>,
  clock: EngineClock,
  ended: (told: Told) => Promise<unknown>,
  { counted, before } = { counted: samples, before: warmUps },
): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < counted + before; i++) {
    const began = performance.now();
    const started = clock.nextStart();
    const told = await launch();
    const at = (await started) - began;
    await ended(told);
    await delay(30);
    if (i >= before) found.push(at);
  }
  return found;
}
