import { broughtHosts } from './content.ts';
import type { Ledger } from './ledger.ts';
import { playNames, playOf } from './plays.ts';
import type { Stage } from './stage.ts';
import { conditioned } from './workflow.ts';
import type { StoredRun } from './verdict.ts';

/** What clients were told, held against what is stored. */
export function brokenPromises({ launches, runs, others, complaints }: Ledger, stored: readonly StoredRun[]): string[] {
  const byId = new Map(stored.map((run) => [run.id, run]));
  const byMark = Map.groupBy(
    stored.filter((run) => run.mark !== null && run.launch_type === 'manual'),
    ({ mark }) => mark,
  );
  const doubled = launches.flatMap(({ mark, keyed, run }) => {
    const ids = (byMark.get(mark) ?? []).map(({ id }) => id).filter((id) => id !== run);
    const most = run === undefined ? 1 : 0;
    return ids.length > most
      ? [`launch ${mark} (${keyed ? 'with' : 'without'} a key) also made ${ids.join(', ')}`]
      : [];
  });
  const broken = [...runs].flatMap(([id, told]) => {
    const run = byId.get(id);
    if (!run) return told.deleteAsked ? [] : [`run ${id} was answered with 201 and is not there`];
    if (told.deleted !== undefined) return [`run ${id} was deleted and is there`];
    if (told.ended && told.ended.status !== run.status)
      return [`run ${id} was said to have ended ${told.ended.status} and is ${run.status}`];
    return [];
  });
  const lost = others.filter((id) => !byId.has(id)).map((id) => `run ${id} was answered with 201 and is not there`);
  return [...complaints, ...doubled, ...broken, ...lost, ...overlaps(stored)];
}

/** What allows no run beside itself had none. */
function overlaps(stored: readonly StoredRun[]): string[] {
  return playNames
    .filter((name) => playOf(name).alone)
    .flatMap((name) => {
      const runs = stored
        .filter(({ play, started }) => play === name && started)
        .toSorted((a, b) => a.started!.getTime() - b.started!.getTime());
      return runs.slice(1).flatMap(({ id, started }, index) => {
        const before = runs[index]!;
        return before.finished && before.finished <= started! ? [] : [`run ${id} began while run ${before.id} ran`];
      });
    });
}

/** What no run is the owner of, and what should be over by now. */
const strays: Record<string, string> = {
  'events of no run': `select distinct run_id::text as what from run_events e where not exists (select 1 from runs r where r.id = e.run_id)`,
  'a template that shows a run that is over': `select t.name as what from templates t join runs r on r.id = t.current_run_id where r.finished is not null`,
  'passwords of a run that is over': `select distinct run_id::text as what from run_secrets s join runs r on r.id = s.run_id where r.finished is not null`,
  'facts of a run that did not end well': `select f.run_id::text as what from host_facts f join runs r on r.id = f.run_id
      join facts d on d.hash = f.hash where r.status = 'successful' and d.document ->> 'chaos_job' is distinct from r.id::text`,
  'an inventory that is not as its last update left it': `with last as (
      select distinct on (template_id) template_id, id from runs where kind = 'inventory_update' and status = 'successful'
      order by template_id, finished desc)
    select l.id::text || ': ' || count(h.id) || ' hosts, from updates ' || coalesce(string_agg(distinct h.variables, ', '), '') as what
      from last l left join hosts h on l.template_id = any (h.source_ids) group by l.id
      having count(h.id) <> ${broughtHosts} or bool_or((h.variables::jsonb ->> 'generation')::bigint <> l.id)`,
  'a host that no update brought whole': `select h.name as what from hosts h join inventories i on i.id = h.inventory_id
      where i.name like 'Brought%' and h.source_ids = '{}'`,
  'an event that nobody is done with': `select id::text as what from plugin_eda.event_logs where finished is null`,
  'a delivery that was not made': `select event || ' of run ' || run_id || ': ' || status || ' ' || error as what
      from plugin_outbound_webhooks.outbound_webhook_deliveries where status <> 'successful'`,
  'a notification that is still on its way': `select id::text || ' (' || event || ')' as what from notifications where status = 'pending'`,
  // what may be tried once is work that the clock asks for again
  // one that was asked for again while it ran gives its key to the newer one and is not tried again, were it or its database killed (graphile-worker)
  'a task that failed for good': `select t.identifier || ': ' || coalesce(j.last_error, '') as what from tapline_jobs._private_jobs j
      join tapline_jobs._private_tasks t on t.id = j.task_id where j.attempts >= j.max_attempts
      and not (coalesce(j.last_error, 'It was cut short') like 'It was cut short%' and j.max_attempts = 1)
      and not (t.identifier = 'core:advance-run' and j.key is null
        and coalesce(j.last_error, 'It was cut short') ~ '^It was cut short|onnection|ECONN|database system is')`,
  'a task that is due and not done': `select t.identifier as what from tapline_jobs._private_jobs j join tapline_jobs._private_tasks t on t.id = j.task_id
      where j.attempts < j.max_attempts and j.run_at < now() - interval '5 seconds'`,
};

/** Of workflows that have ended: every node of theirs runs whatever became of those before it, but for two that are asked for. */
const nodesOfEnded = `from workflow_job_nodes n join runs w on w.id = n.run_id and w.finished is not null
  left join lateral (select count(*) as times, max(r.status) as status from runs r where r.parent_id = w.id and r.parent_part = n.id) r on true`;
const asked = Object.keys(conditioned)
  .map((name) => `'${name}'`)
  .join(', ');
strays['a node of a workflow that ran twice'] =
  `select n.id::text as what ${nodesOfEnded} where r.times > 1 + n.retry_attempts or n.retry_attempts > n.max_retries`;
strays['a node of a workflow that failed and was not tried again'] =
  `select n.id::text as what ${nodesOfEnded} join runs j on j.id = n.job_id and j.started is not null
    where n.outcome in ('failed', 'error') and n.retry_attempts < n.max_retries`;
strays['a node of a workflow that was skipped'] =
  `select n.id::text as what ${nodesOfEnded} where (r.times = 0 or n.do_not_run) and n.identifier not in (${asked})`;
strays['a condition of a workflow that was not judged as it is'] =
  `select n.id::text || ' ' || n.identifier as what ${nodesOfEnded}
    join workflow_job_nodes one on one.run_id = n.run_id and one.identifier = 'one'
    where n.identifier in (${asked}) and (r.times = 1) <> (n.identifier = 'told' and one.outcome = 'successful')`;
strays['a node of a workflow that does not know its end'] =
  `select n.id::text as what ${nodesOfEnded} where r.times = 1 and n.outcome is distinct from r.status`;

export async function strayRows(stage: Stage): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, sql] of Object.entries(strays))
    for (const { what } of await stage.query(sql)) problems.push(`${name}: ${String(what).slice(0, 300)}`);
  return problems;
}
