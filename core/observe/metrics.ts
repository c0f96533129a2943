import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

const quick = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const slow = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800];

/** Labels take values from closed sets only: a path with an id in it would make a series per object. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter<L>({ registers, name: `tapline_${name}`, help, labelNames });
  const seconds = <L extends string>(name: string, help: string, buckets: number[], labelNames: readonly L[] = []) =>
    new Histogram<L>({ registers, name: `tapline_${name}_seconds`, help, labelNames, buckets });
  return {
    registry,
    httpRequests: counter('http_requests_total', 'Answered requests.', ['method', 'route', 'status']),
    httpDuration: seconds('http_request', 'Time to answer a request.', quick, ['method', 'route']),
    queueTasks: counter('queue_tasks_total', 'Background tasks ended.', ['task', 'result']),
    queueDuration: seconds('queue_task', 'Duration of background tasks.', quick, ['task']),
    launches: counter('launches_total', 'Launches by result: accepted, denied.', ['result']),
    launchToStart: seconds('launch_to_start', 'From the creation of a run to the start of its engine.', slow),
    runsFinished: counter('runs_finished_total', 'Runs ended, by kind and status.', ['kind', 'status']),
    eventsStored: counter('events_stored_total', 'Events written to the database.'),
    ingestLag: seconds('ingest_lag', 'From the emission of an event to its commit.', slow),
    hookTaps: counter('hook_taps_total', 'Hook taps run, by hook, tap and result.', ['hook', 'tap', 'result']),
    loopBlocked: seconds('event_loop_blocked', 'Times for which the event loop stood still, by whose code ran.', slow, [
      'plugin',
      'section',
    ]),
    pluginFaults: counter('plugin_faults_total', 'Errors of plugins that nobody caught.', ['plugin', 'section']),
    hookDuration: seconds('hook_tap', 'Duration of hook taps.', quick, ['hook', 'tap']),
  };
}
