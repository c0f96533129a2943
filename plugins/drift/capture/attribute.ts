import type { Knex } from '@tapline/plugin-sdk';

/** Of a host, the time between two gatherings of its facts: the runs that gathered them, where they are known. */
export interface Interval {
  host: number;
  from: number | null;
  /** where there is no such run */
  since: string | null;
  to: number | null;
}

/**
 * Places of the intervals in which one of our runs may have changed something on the host. Facts are gathered somewhere within a
 * run, so both of its ends count, and a task that failed may have done half of its work: the others were touched by nobody of ours.
 */
export async function touchedByUs(trx: Knex, intervals: readonly Interval[]): Promise<Set<number>> {
  const spans = await bySummaries(trx, intervals);
  const left = spans.filter(({ touched }) => !touched);
  const told = new Set(await byEvents(trx, left));
  return new Set(spans.flatMap(({ place, touched }) => (touched || told.has(place) ? [place] : [])));
}

interface Span {
  place: number;
  host: number;
  begins: string;
  ends: string;
  touched: boolean;
}

const overlaps = 'r.started <= p.ends and (r.finished is null or r.finished > p.begins)';

async function bySummaries(trx: Knex, intervals: readonly Interval[]): Promise<Span[]> {
  if (!intervals.length) return [];
  const { rows } = await trx.raw(
    `select p.*, exists (
       select from core_host_summaries s join core_runs r on r.id = s.run_id
       where s.host_id = p.host and s.changed + s.failures + s.rescued + s.ignored > 0 and ${overlaps}) as touched
     from (
       select p.place, p.host, coalesce(b.started, p.since, now() - interval '1 day') as begins, coalesce(a.finished, now()) as ends
       from json_to_recordset(?::json) as p(place integer, host bigint, "from" bigint, since timestamptz, "to" bigint)
       left join core_runs b on b.id = p."from" left join core_runs a on a.id = p."to"
     ) p`,
    [JSON.stringify(intervals.map((interval, place) => ({ place, ...interval })))],
  );
  return rows;
}

const given = `json_to_recordset(:spans::json) as p(place integer, host bigint, begins timestamptz, ends timestamptz)`;

/**
 * Commands, jobs that ended badly and those that have not ended have no summaries of hosts, or may have none: what they did is in
 * their events. A host that was last told of with the begin of a task was in the middle of it when its run was cut short.
 */
async function byEvents(trx: Knex, spans: readonly Span[]): Promise<number[]> {
  if (!spans.length) return [];
  const { rows } = await trx.raw(
    `with unsummarised as materialized (
       select id, started, finished from core_runs
       where finished > (select min(p.begins) from ${given})
         and (kind = 'ad_hoc_command' or kind = 'job' and status <> 'successful')
       union all
       select id, started, finished from core_runs where status = 'running' and kind in ('ad_hoc_command', 'job')
     )
     select p.place from ${given} where exists (
       select from unsummarised r where ${overlaps} and (
         exists (select from core_run_events e where e.host_id = p.host and e.run_id = r.id and (e.changed or e.failed)
           and e.event like 'runner\\_%' and e.event <> 'runner_on_unreachable')
         or (select e.event from core_run_events e where e.host_id = p.host and e.run_id = r.id
           order by e.counter desc limit 1) = 'runner_on_start'))`,
    { spans: JSON.stringify(spans) },
  );
  return rows.map(({ place }: { place: number }) => place);
}
