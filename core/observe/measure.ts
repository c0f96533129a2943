import { performance } from 'node:perf_hooks';
import type { TapRecord } from '../hooks/guard.ts';
import type { Queue } from '../jobs/queue.ts';
import { isTerminal } from '../jobs/states.ts';
import type { MovedRun, Statuses } from '../jobs/status.ts';
import type { Metrics } from './metrics.ts';

/** Every status change goes through `statuses`, so this is the one place to count launches, starts and ends. */
export function measureStatuses(statuses: Statuses, metrics: Metrics): Statuses {
  const count = (row: MovedRun) => {
    if (row.status === 'pending' && row.from_status === 'new') metrics.launches.inc({ result: 'accepted' });
    if (row.status === 'running')
      metrics.launchToStart.observe(Math.max(0, (Date.now() - Date.parse(row.created)) / 1000));
    if (isTerminal(row.status)) metrics.runsFinished.inc({ kind: row.kind, status: row.status });
  };
  return {
    ...statuses,
    async setStatus(...args) {
      const row = await statuses.setStatus(...args);
      if (row) count(row);
      return row;
    },
    async opened(trx, run) {
      await statuses.opened(trx, run);
      metrics.launches.inc({ result: 'accepted' });
    },
    async setStatuses(...args) {
      const rows = await statuses.setStatuses(...args);
      rows.forEach(count);
      return rows;
    },
  };
}

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
