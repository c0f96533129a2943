import { join } from 'node:path';
import type { Knex } from 'knex';
import { createPool } from '../../core/db/database.ts';
import { createHooks } from '../../core/hooks/hooks.ts';
import { defineHookTask } from '../../core/hooks/queue-tasks.ts';
import { createQueue } from '../../core/queue/queue.ts';
import { coreFollowing } from '../../core/runs/followers/followers.ts';
import { RunKinds } from '../../core/runs/kinds.ts';
import { createStatuses } from '../../core/runs/status.ts';
import { createLog } from '../../core/observe/log.ts';
import { onDatabase } from '../lib/bench-database.ts';
import { readyToLaunch } from '../lib/ready-to-launch.ts';
import { progress } from '../lib/progress.ts';
import { quietBus } from '../lib/quiet-bus.ts';
import { root, Service } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';
import { timed } from '../lib/timed.ts';

const taps = 20;
const launches = 200;
const finishes = 300;
const warmUp = 30;
const plugin = join(root, 'bench/lib/no-op-taps.ts');

/** POST to answer with 20 taps that do nothing, and on a service without plugins, one after the other. */
async function launchWithTaps(): Promise<Figure> {
  const services = [new Service({ TAPLINE_PLUGINS: '' }), new Service({ TAPLINE_PLUGINS: plugin })];
  try {
    const launcher = async (service: Service) => (await readyToLaunch(service)).launch;
    const [bare, tapped] = [await launcher(services[0]!), await launcher(services[1]!)];
    const without: number[] = [];
    const more: number[] = [];
    const withTaps: number[] = [];
    for (let n = -warmUp; n < launches; n += 1) {
      if (n % 50 === 0) progress(`launch ${n} of ${launches}`);
      const order = n % 2 ? [bare, tapped] : [tapped, bare];
      const took = new Map<unknown, number>();
      for (const launch of order) took.set(launch, await timed(launch));
      if (n < 0) continue;
      without.push(took.get(bare)!);
      withTaps.push(took.get(tapped)!);
      more.push(took.get(tapped)! - took.get(bare)!);
    }
    const detail = `with ${spread(withTaps, 'ms')}; without ${spread(without, 'ms')}; pairs ${spread(more, 'ms')}`;
    return figure('hooks', `${taps} taps on beforeStart, added to a launch`, median(more), 'ms', '<=', 1, detail);
  } finally {
    for (const service of services) if (service.process) await service.stop();
  }
}

/** The transaction that ends a run, with so many taps on both hooks that it sets going. */
async function finisher(
  db: Knex,
  databaseUrl: string,
  count: number,
): Promise<{ finish(run: number): Promise<void>; end(): Promise<void> }> {
  const log = createLog({ config: { logLevel: 'silent', nodeName: 'bench' } });
  const pool = createPool({ config: { databaseUrl }, log });
  const queue = createQueue({ pool, log });
  const hooks = createHooks({ log });
  for (let n = 1; n <= count; n += 1)
    hooks.on(n % 2 ? 'afterFinish' : 'onStatusChange', { name: `bench:tap-${n}` }, () => undefined);
  defineHookTask({ queue, hooks });
  await queue.migrate();
  const statuses = createStatuses(coreFollowing({ kinds: new RunKinds(), bus: quietBus, hooks, queue }));
  return {
    finish: (run) =>
      db.transaction(async (trx) => {
        const ended = await statuses.setStatus(trx, { id: run }, 'successful', { play_count: 1, task_count: 1 });
        if (!ended) throw new Error(`run ${run} did not end`);
      }),
    end: () => pool.end(),
  };
}

async function finishWithTaps(): Promise<Figure> {
  return onDatabase(async (db, url) => {
    const bare = await finisher(db, url, 0);
    const tapped = await finisher(db, url, taps);
    const { rows } = await db.raw(
      `insert into runs (kind, name, status, started) select 'job', 'run ' || n, 'running', now() from generate_series(1, ?::int) n returning id`,
      [2 * (finishes + warmUp)],
    );
    const runs: number[] = rows.map(({ id }: { id: number }) => id);
    const without: number[] = [];
    const withTaps: number[] = [];
    const more: number[] = [];
    for (let n = -warmUp; n < finishes; n += 1) {
      const order = n % 2 ? [bare, tapped] : [tapped, bare];
      const took = new Map<unknown, number>();
      for (const side of order) took.set(side, await timed(() => side.finish(runs.pop()!)));
      if (n < 0) continue;
      without.push(took.get(bare)!);
      withTaps.push(took.get(tapped)!);
      more.push(took.get(tapped)! - took.get(bare)!);
    }
    await bare.end();
    await tapped.end();
    const detail = `with ${spread(withTaps, 'ms')}; without ${spread(without, 'ms')}; pairs ${spread(more, 'ms')}`;
    return figure('hooks', `${taps} queued taps, added to the finish of a job`, median(more), 'ms', '<=', 5, detail);
  });
}

export async function hooks(): Promise<Figure[]> {
  return [await finishWithTaps(), await launchWithTaps()];
}
