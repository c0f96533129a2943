import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Strike } from './plan.ts';
import { engines, forkers, kill, postmaster, wrappers } from './processes.ts';
import type { Stage } from './stage.ts';

/** Kills what the strike names; resolves to what that was, or to nothing when there was none. */
type Kill = (stage: Stage, strike: Strike) => Promise<string[]>;

interface Victim {
  /** of twenty strikes */
  share: number;
  kill: Kill;
}

/** Another node counts it as dead before it is back, and takes over what it carried out. */
const exileMs = 24_000;
/** A start takes longer on a busy machine only. */
const bootMs = 2500;

const together =
  (...parts: Kill[]): Kill =>
  async (stage, strike) =>
    (await Promise.all(parts.map((part) => part(stage, strike)))).flat();

const node =
  (...names: string[]): Kill =>
  async (stage, strike) => {
    const name = chosen(stage.living(names), strike);
    return name === undefined ? [] : stage.takeDown(name, strike.awayMs);
  };

const web = node('web');
const worker = node('worker-1', 'worker-2');
const workers = together(node('worker-1'), node('worker-2'));

const backend: Kill = async (stage, strike) => {
  const rows = await stage
    .query("select pid from pg_stat_activity where application_name like 'tapline%' and pid <> pg_backend_pid()")
    .catch(() => []);
  return killed('backend', chosen(rows, strike)?.pid);
};

const server: Kill = async ({ data }) => killed('postmaster', postmaster(data));

const wrapper: Kill = async (stage, strike) =>
  killedRun(stage, 'wrapper', chosen(wrappers(join(stage.data, 'jobs')), strike));
const engine: Kill = async (stage, strike) =>
  killedRun(stage, 'engine', chosen(engines(join(stage.data, 'jobs')), strike));

const forker: Kill = async ({ nodes }, strike) =>
  killed('forker', chosen(forkers(nodes.flatMap(({ pid }) => pid ?? [])), strike));

const any = ['web', 'worker-1', 'worker-2'];

/** While it starts. */
const boot: Kill = async (stage, strike) => {
  const name = chosen(stage.living(any), strike);
  if (name === undefined) return [];
  await stage.takeDown(name, 0);
  await delay(strike.draw * bootMs);
  return stage.takeDown(name, strike.awayMs);
};

/** While it ends in an orderly way. */
const shutdown: Kill = async (stage, strike) => {
  const name = chosen(stage.living(any), strike);
  if (name === undefined) return [];
  await stage.node(name).end(strike.awayMs);
  await stage.takeDown(name, strike.awayMs);
  // on an idle machine it may have been over before
  return [name];
};

const exile: Kill = (stage, strike) => node('worker-1', 'worker-2')(stage, { ...strike, awayMs: exileMs });

export const victims = {
  web: { share: 2, kill: web },
  worker: { share: 3, kill: worker },
  workers: { share: 1, kill: workers },
  everything: { share: 2, kill: together(web, workers, server, forker) },
  boot: { share: 2, kill: boot },
  shutdown: { share: 2, kill: shutdown },
  exile: { share: 1, kill: exile },
  postmaster: { share: 1, kill: server },
  backend: { share: 1, kill: backend },
  wrapper: { share: 2, kill: wrapper },
  engine: { share: 1, kill: engine },
  forker: { share: 1, kill: forker },
  several: { share: 1, kill: together(worker, backend, wrapper, forker) },
} satisfies Record<string, Victim>;

export type VictimName = keyof typeof victims;

const chosen = <T>(items: readonly T[], { draw }: Strike): T | undefined => items[Math.floor(draw * items.length)];

const killed = (what: string, pid: number | undefined): string[] =>
  pid !== undefined && kill(pid) ? [`${what} ${pid}`] : [];

function killedRun({ struck }: Stage, what: string, found: { pid: number; run: number } | undefined): string[] {
  if (!found) return [];
  struck.add(found.run);
  return killed(`${what} of run ${found.run}`, found.pid);
}
