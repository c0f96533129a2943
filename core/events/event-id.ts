/** The public id of an event: it names the partition by itself, and storing an event twice is a key conflict. */
const counters = 2 ** 24;

export const eventId = (runId: number, counter: number): number => runId * counters + counter;

/** The key behind a public id, as columns of run_events. */
export function eventKey(id: number): { run_id: number; counter: number } {
  const run_id = Math.floor(id / counters);
  return { run_id, counter: id - run_id * counters };
}

export const eventIdSql = `({alias}.run_id * ${counters} + {alias}.counter)`;
