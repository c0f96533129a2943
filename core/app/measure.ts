import { performance } from 'node:perf_hooks';
import type { TapRecord } from '../hooks/guard.ts';
import type { Queue } from '../queue/queue.ts';
import { isTerminal } from '../runs/states.ts';
import type { Follower } from '../runs/status.ts';
import type { Metrics } from '../observe/metrics.ts';

/** Every status change is followed, so this is the one place to count launches, starts and ends. */
export const measureMoves = (metrics: Metrics): Follower => ({
  writes: () => false,
  async follow(_trx, moved, to) {
    for (const run of moved) {
      if (to === 'pending' && run.from_status === 'new') metrics.launches.inc({ result: 'accepted' });
      if (to === 'running') metrics.launchToStart.observe(Math.max(0, (Date.now() - Date.parse(run.created)) / 1000));
      if (isTerminal(to)) metrics.runsFinished.inc({ kind: run.kind, status: to });
    }
  },
});

/** Taps are a closed set: they are registered before the service starts. */
export function measureTap(
  metrics: Metrics,
  { hook, plugin, tap: name, result, refused, milliseconds }: TapRecord,
): void {
  const tap = `${plugin}:${name}`;
  metrics.hookTaps.inc({ hook, tap, result });
  metrics.hookDuration.observe({ hook, tap }, milliseconds / 1000);
  if (refused) metrics.launches.inc({ result: 'denied' });
}

/** Times every task that is defined from now on. */
export function measureQueue(queue: Queue, metrics: Metrics): Queue {
  return {
    ...queue,
    define: (name, definition) =>
      queue.define(name, {
        ...definition,
        async run(payload, context) {
          const begin = performance.now();
          let result = 'failed';
          try {
            await definition.run(payload, context);
            result = 'done';
          } finally {
            metrics.queueTasks.inc({ task: name, result });
            metrics.queueDuration.observe({ task: name }, (performance.now() - begin) / 1000);
          }
        },
      }),
  };
}
