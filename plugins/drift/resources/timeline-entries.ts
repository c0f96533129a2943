import { type Call, type HostTimelineSource, inTime, type PluginApi, points } from '@tapline/plugin-sdk';

export const mostEntries = 500;
const sourceMs = 5000;

interface Span {
  host: number;
  from: string;
  to: string;
}

interface Entry {
  at: string;
  kind: string;
  id: number;
  summary: string;
  url: string;
}

/** Who sees it: whoever sees this record. */
interface Judged extends Entry {
  type: string;
  record: number;
}

/** What happened to a host, newest first, as far as the caller may see it. */
export async function happened(
  api: PluginApi,
  call: Call,
  span: Span,
): Promise<{ entries: Entry[]; complete: boolean; failed: string[] }> {
  const asked = { ...span, most: mostEntries + 1 };
  const sources = api.use(points.hostTimeline);
  const [own, ...theirs] = await Promise.all([
    readOwn(api, asked),
    ...sources.map((source) => readFrom(api, source, asked)),
  ]);
  const found = [own!, ...theirs].flatMap((entries) => entries ?? []);
  const newest = found.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at) || b.id - a.id).slice(0, mostEntries);
  const entries = await seenBy(call, newest);
  const failed = sources.filter((_, at) => !theirs[at]).map(({ kind }) => kind);
  return { entries, complete: found.length <= mostEntries && !failed.length, failed };
}

/** Undefined where it failed, which is told. */
async function readFrom(
  { log }: PluginApi,
  { kind, type, read }: HostTimelineSource,
  span: Span & { most: number },
): Promise<Judged[] | undefined> {
  try {
    const entries = await inTime(() => read(span), { ms: sourceMs, late: () => new Error('it took too long') });
    return entries.map(({ at, id, summary, url }) => ({ at, kind, id, summary, url, type, record: id }));
  } catch (err) {
    log.warn({ err, kind, host: span.host }, 'a source of timelines failed and was left out');
    return undefined;
  }
}

async function readOwn(api: PluginApi, span: Span & { most: number }): Promise<Judged[]> {
  const { rows } = await api.db.raw(sqlOf(api), { ...span });
  return rows;
}

/**
 * Events are those by which a task changed something on the host, failed there or did not reach it. They are looked for in runs of
 * that time, since the index of events is by host and run. Commands and runs that were cut short have no summaries of hosts: they
 * are those that left events about it.
 */
const sqlOf = ({ table }: PluginApi) => {
  const path = (name: string, id: string) => `'/api/v2/${name}/' || ${id} || '/'`;
  const found = (kind: string, type: string, at: string, of: string, says: string) =>
    `select ${at} as at, '${kind}' as kind, id, ${says} as summary, ${path(`${type}s`, 'id')} as url, '${type}' as type, id as record
     from ${of} where host_id = :host and ${at} between :from and :to`;
  return `
  with summarised as (
    select s.run_id as id, s.changed, s.failures, s.created from core_host_summaries s join core_runs r on r.id = s.run_id
    where s.host_id = :host and coalesce(r.started, r.created) <= :to and coalesce(r.finished, now()) >= :from
  ), told as (
    select r.id, e.changed, e.failures, r.started as created from (
      select id, started from core_runs where finished >= :from and started <= :to
        and (kind = 'ad_hoc_command' or kind = 'job' and status <> 'successful')
      union all select id, started from core_runs where status = 'running' and started <= :to and kind in ('ad_hoc_command', 'job')
    ) r join lateral (
      select count(*) filter (where e.changed) as changed, count(*) filter (where e.failed) as failures, count(*) as events
      from core_run_events e where e.host_id = :host and e.run_id = r.id and e.event like 'runner\\_on\\_%'
    ) e on e.events > 0
    where not exists (select from summarised s where s.id = r.id)
  ), ran as (select * from summarised union all select * from told)
  select at, kind, id, summary, url, type, record from (
    select coalesce(r.finished, s.created) as at, 'run' as kind, r.id,
      r.name || ': ' || r.status || ', ' || s.changed || ' changed, ' || s.failures || ' failed'
        || case when r.origin ->> 'kind' not in ('api', 'relaunch') then ', started by ' || (r.origin ->> 'kind') else '' end as summary,
      case r.kind when 'job' then ${path('jobs', 'r.id')} else ${path('ad_hoc_commands', 'r.id')} end as url, 'unified_job' as type, r.id as record
    from ran s join core_runs r on r.id = s.id
    union all select e.created, 'event', e.id,
      case when e.event = 'runner_on_unreachable' then 'unreachable' when e.failed then 'failed' else 'changed' end
        || ': ' || coalesce(nullif(e.task, ''), nullif(e.play, ''), r.name),
      case r.kind when 'job' then ${path('job_events', 'e.id')} else ${path('ad_hoc_command_events', 'e.id')} end, 'unified_job', e.run_id
    from core_run_events e join core_runs r on r.id = e.run_id
    where e.host_id = :host and e.run_id = any (array(select id from ran)) and e.event like 'runner\\_on\\_%'
      and (e.changed or e.failed) and e.created between :from and :to
    union all ${found('snapshot', 'fact_snapshot', 'captured_at', table('snapshots'), `'facts ' || left(facts_hash, 12)`)}
    union all ${found('drift', 'drift_detection', 'created', table('detections'), 'summary')}
    union all ${found('alert', 'drift_alert', 'created', table('alerts'), 'summary')}
  ) e where at between :from and :to order by at desc, kind, id desc limit :most`;
};

/** Who sees the host sees what was found on it, but not every run. */
async function seenBy({ visible }: Call, entries: readonly Judged[]): Promise<Entry[]> {
  const seen = new Map<string, Set<number>>();
  for (const [type, some] of Map.groupBy(entries, (entry) => entry.type))
    // as many as there are kinds of records
    // oxlint-disable-next-line no-await-in-loop
    seen.set(type, await visible(type, [...new Set(some.map(({ record }) => record))]));
  return entries.flatMap(({ type, record, ...entry }) => (seen.get(type)!.has(record) ? [entry] : []));
}
