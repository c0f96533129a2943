import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

const quick = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const slow = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800];

/** Labels take values from closed sets only: a path with an id in it would make a series per object. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    httpRequests: new Counter({ registers, name: 'tapline_http_requests_total', help: 'Answered requests.', labelNames: ['method', 'route', 'status'] as const }),
    httpDuration: new Histogram({ registers, name: 'tapline_http_request_seconds', help: 'Time to answer a request.', labelNames: ['method', 'route'] as const, buckets: quick }),
    queueTasks: new Counter({ registers, name: 'tapline_queue_tasks_total', help: 'Background tasks ended.', labelNames: ['task', 'result'] as const }),
    queueDuration: new Histogram({ registers, name: 'tapline_queue_task_seconds', help: 'Duration of background tasks.', labelNames: ['task'] as const, buckets: quick }),
    launches: new Counter({ registers, name: 'tapline_launches_total', help: 'Launches by result: accepted, denied, error.', labelNames: ['result'] as const }),
    launchToStart: new Histogram({ registers, name: 'tapline_launch_to_start_seconds', help: 'From the creation of a run to the start of its engine.', buckets: slow }),
    runsFinished: new Counter({ registers, name: 'tapline_runs_finished_total', help: 'Runs ended, by kind and status.', labelNames: ['kind', 'status'] as const }),
    runsActive: new Gauge({ registers, name: 'tapline_runs_active', help: 'Runs that this node executes now.' }),
    eventsStored: new Counter({ registers, name: 'tapline_events_stored_total', help: 'Events written to the database.' }),
    ingestLag: new Histogram({ registers, name: 'tapline_ingest_lag_seconds', help: 'From the emission of an event to its commit.', buckets: slow }),
    hookTaps: new Counter({ registers, name: 'tapline_hook_taps_total', help: 'Hook taps run, by hook and result.', labelNames: ['hook', 'result'] as const }),
  };
}
