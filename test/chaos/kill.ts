import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { wrappers } from './processes.ts';
import type { Stage } from './stage.ts';

export type Victim = 'web' | 'worker' | 'wrapper' | 'backend';

export type Random = () => number;

/** Small seeded generator, so that a run can be repeated. */
export function generator(seed: number): Random {
  let state = seed || 1;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

const bag: readonly Victim[] = ['web', 'worker', 'worker', 'wrapper', 'backend'];

/** Random order, but each kind its share: of every five kills two are workers and one each of the others. */
export function* victims(random: Random): Generator<Victim, never> {
  for (;;)
    yield* bag
      .map((victim) => ({ victim, place: random() }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ victim }) => victim);
}

/** Kills one part; returns whether there was something to kill. Runs whose process was killed are noted in `orphaned`. */
export async function kill(stage: Stage, victim: Victim, random: Random, orphaned: Set<number>): Promise<boolean> {
  if (victim === 'web' || victim === 'worker') {
    const node = stage.nodes.find(({ role }) => role === victim);
    const killed = (await node?.kill()) ?? false;
    await delay(random() * 500);
    node?.start();
    return killed;
  }
  if (victim === 'wrapper') {
    const found = wrappers(join(stage.data, 'jobs'));
    const one = found[Math.floor(random() * found.length)];
    if (!one) return false;
    orphaned.add(one.run);
    return signal(one.pid);
  }
  const rows = await stage
    .query("select pid from pg_stat_activity where application_name like 'tapline%' and pid <> pg_backend_pid()")
    .catch(() => []);
  const pid = rows[Math.floor(random() * rows.length)]?.pid as number | undefined;
  return pid !== undefined && signal(pid);
}

function signal(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false; // it ended by itself just now
  }
}
