import { ApiError, type PluginRoute } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { integer, listOf, record } from '../../descriptors/describe/json-schema.ts';
import { authenticated } from '../../rbac/rules.ts';
import type { RunKinds } from '../../runs/kinds.ts';
import type { Seen } from './dashboard.ts';

/** Days before today, or the same day of the month before. */
const periods: Record<string, string> = {
  month: '1 month',
  two_weeks: '14 days',
  week: '7 days',
  day: '1 day',
};
/** The kinds of runs say under which name they are counted. */
const graphsOf = (kinds: RunKinds): Record<string, null> => {
  const named = new Set(kinds.all().flatMap(({ graph }) => graph ?? []));
  return Object.fromEntries(['all', ...[...named].toSorted()].map((name) => [name, null]));
};

const kindsOf = (kinds: RunKinds, graph: string): string[] =>
  kinds
    .all()
    .filter((one) => (graph === 'all' ? one.needs !== 'nobody' : one.graph === graph))
    .map(({ kind }) => kind);

const statuses = ['successful', 'failed', 'canceled', 'error'] as const;
type Day = { day: number } & Record<(typeof statuses)[number], number>;

/** [seconds since 1970, number] */
const point = { ...listOf(integer), minItems: 2, maxItems: 2 };
const answer = record({ jobs: record(Object.fromEntries(statuses.map((status) => [status, listOf(point)]))) });

const chosen = (name: string, values: object, standard: string) => ({
  name,
  in: 'query',
  schema: { type: 'string', enum: Object.keys(values), default: standard },
});

/** How the runs that the caller sees ended, by day: points of seconds since 1970, at midnight UTC, and number. */
export const jobsGraph = ({ db, kinds }: { db: Knex; kinds: RunKinds }, seen: Seen): PluginRoute => ({
  path: '/api/v2/dashboard/graphs/jobs/',
  summary: 'How runs ended, by day',
  access: { GET: authenticated },
  answers: { GET: { schema: answer } },
  openapi: { GET: { parameters: [chosen('period', periods, 'month'), chosen('job_type', graphsOf(kinds), 'all')] } },
  async handler({ actor, query }) {
    const period = choose(periods, 'period', query.get('period') ?? 'month');
    const graph = query.get('job_type') ?? 'all';
    choose(graphsOf(kinds), 'job_type', graph);
    const runs = seen('unified_job', actor)!
      .select({ day: db.raw(`date_trunc('day', t.finished at time zone 'UTC')`), status: 't.status' })
      .whereRaw('t.kind = any (?)', [kindsOf(kinds, graph)])
      .whereRaw(`t.finished >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - ?::interval`, [period])
      .whereRaw(`t.launch_type <> 'sync'`);
    const { rows }: { rows: Day[] } = await db.raw(
      `select extract(epoch from d.day at time zone 'UTC')::bigint as day,
         ${statuses.map((status) => `count(r.day) filter (where r.status = '${status}') as ${status}`).join(', ')}
       from generate_series(date_trunc('day', now() at time zone 'UTC') - ?::interval, date_trunc('day', now() at time zone 'UTC'), '1 day') as d (day)
         left join ? as r on r.day = d.day
       group by d.day order by d.day`,
      [period, runs],
    );
    const jobs = Object.fromEntries(statuses.map((status) => [status, rows.map((row) => [row.day, row[status]])]));
    return { status: 200, body: { jobs } };
  },
});

function choose<T>(known: Record<string, T>, name: string, value: string): T {
  if (Object.hasOwn(known, value)) return known[value]!;
  throw new ApiError(400, { error: `Unknown ${name}: use one of ${Object.keys(known).join(', ')}.` });
}
