import { type Action, authenticated, type Call, type PluginApi, ValidationError } from '@tapline/plugin-sdk';

const most = 500;
const week = 7 * 86_400_000;

interface Entry {
  at: string;
  kind: 'run' | 'snapshot' | 'drift' | 'alert';
  id: number;
  summary: string;
  url: string;
}

const schema = {
  type: 'object',
  required: ['from', 'to', 'count', 'complete', 'results'],
  additionalProperties: false,
  properties: {
    from: { type: 'string', format: 'date-time' },
    to: { type: 'string', format: 'date-time' },
    count: { type: 'integer' },
    complete: { type: 'boolean', description: `false: only the newest ${most} are told` },
    results: {
      type: 'array',
      items: {
        type: 'object',
        required: ['at', 'kind', 'id', 'summary', 'url'],
        additionalProperties: false,
        properties: {
          at: { type: 'string', format: 'date-time' },
          kind: { type: 'string', enum: ['run', 'snapshot', 'drift', 'alert'] },
          id: { type: 'integer' },
          summary: { type: 'string' },
          url: { type: 'string' },
        },
      },
    },
  },
};

/** `hosts/N/timeline/?from=&to=`: what was done to a host and what was found on it, newest first. */
export const timelineAction = (api: PluginApi): Action => ({
  access: { GET: authenticated },
  summary:
    'Runs, snapshots of facts, drift and alerts of the host between ?from= and ?to=, ISO 8601; the last week unless said',
  answers: { GET: { schema } },
  async handler(call, { id }) {
    const to = timeOf(call, 'to') ?? api.clock.now();
    const from = timeOf(call, 'from') ?? new Date(to.getTime() - week);
    const span = { host: id, from: from.toISOString(), to: to.toISOString(), most: most + 1 };
    const { rows } = await api.db.raw(sqlOf(api), span);
    const found: Entry[] = await seenBy(call, rows.slice(0, most));
    const complete = rows.length <= most;
    return { status: 200, body: { from: span.from, to: span.to, count: found.length, complete, results: found } };
  },
});

function timeOf({ query }: Call, name: string): Date | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const time = new Date(given);
  if (Number.isNaN(time.getTime()) || Math.abs(time.getFullYear()) > 9000)
    throw ValidationError.field(name, 'Enter a valid date/time.');
  return time;
}

const sqlOf = ({ table }: PluginApi) => {
  const path = (name: string, id: string) => `'/api/v2/${name}/' || ${id} || '/'`;
  return `select * from (
    select coalesce(r.finished, s.created) as at, 'run' as kind, r.id, r.name || ': ' || r.status || ', ' || s.changed || ' changed, ' || s.failures || ' failed' as summary,
      ${path('unified_jobs', 'r.id')} as url from core_host_summaries s join core_runs r on r.id = s.run_id where s.host_id = :host
    union all select captured_at, 'snapshot', id, 'facts ' || left(facts_hash, 12), ${path('fact_snapshots', 'id')}
      from ${table('snapshots')} where host_id = :host and captured_at between :from and :to
    union all select created, 'drift', id, summary, ${path('drift_detections', 'id')}
      from ${table('detections')} where host_id = :host and created between :from and :to
    union all select created, 'alert', id, summary, ${path('drift_alerts', 'id')}
      from ${table('alerts')} where host_id = :host and created between :from and :to
  ) e where at between :from and :to order by at desc, kind, id desc limit :most`;
};

/** Who sees the host sees what was found on it, but not every run. */
async function seenBy({ visible }: Call, entries: readonly Entry[]): Promise<Entry[]> {
  const runs = await visible(
    'unified_job',
    entries.filter(({ kind }) => kind === 'run').map(({ id }) => id),
  );
  return entries.filter(({ kind, id }) => kind !== 'run' || runs.has(id));
}
