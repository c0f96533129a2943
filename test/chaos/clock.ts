import { setTimeout as delay } from 'node:timers/promises';
import { type Api, persist } from './api.ts';
import type { PlayName } from './plays.ts';
import type { Stage } from './stage.ts';

/** As often as rules may say. */
const rule = 'DTSTART:20260101T000000Z RRULE:FREQ=MINUTELY;INTERVAL=1';
const cheap = 4;

/** What the clock launches each minute: a job, and workflows without nodes, which take nobody's place. Resolves to what stops it. */
export async function windUp(
  stage: Pick<Stage, 'api' | 'query'>,
  templates: Record<PlayName, number>,
): Promise<() => Promise<void>> {
  const { api } = stage;
  // of what clients launch besides there may be more at once than a schedule puts up with
  await api.call('PATCH', 'settings/jobs/', { SCHEDULE_MAX_JOBS: 1000 });
  const { id: empty } = await api.call('POST', 'workflow_job_templates/', {
    name: 'Tick',
    organization: 1,
    allow_simultaneous: true,
  });
  const paths = [templates.append, ...Array.from({ length: cheap }, () => empty)].map(
    (template, index) => [template, `Tick ${index}`] as const,
  );
  const ids: number[] = [];
  for (const [unified_job_template, name] of paths)
    ids.push((await api.call('POST', 'schedules/', { name, unified_job_template, rrule: rule })).id);
  return async () => {
    await launched(stage);
    for (const id of ids)
      await persist('that a schedule stops', () => api.call('PATCH', `schedules/${id}/`, { enabled: false }));
  };
}

const launchedSql = `select exists (select from schedules s join runs r on r.schedule_id = s.id where s.name like 'Tick %')
  and not exists (select from tapline_jobs._private_jobs j join tapline_jobs._private_tasks t on t.id = j.task_id
    where t.identifier = 'core:launch-schedule' and j.attempts < j.max_attempts) as done`;
/** It only ends what hangs. */
const longestMs = 300_000;

/** What was due is launched first, and some of it at all: whoever held it when it died gives it back after a while. */
async function launched(stage: Pick<Stage, 'query'>): Promise<void> {
  for (const deadline = Date.now() + longestMs; Date.now() < deadline; await delay(200))
    if ((await stage.query(launchedSql).catch(() => []))[0]?.done) return;
}

/** Word of all that runs, to the target, which no strike meets. */
export async function tieNotifications(api: Api, url: string): Promise<void> {
  const { id } = await api.call('POST', 'notification_templates/', {
    name: 'Chaos',
    organization: 1,
    notification_type: 'webhook',
    notification_configuration: { url, headers: {}, http_method: 'POST' },
    messages: {
      ...Object.fromEntries(['success', 'error', 'started'].map((event) => [event, { body: wordOf }])),
      workflow_approval: Object.fromEntries(
        ['running', 'approved', 'timed_out', 'denied'].map((event) => [event, { body: approvalOf(event) }]),
      ),
    },
  });
  for (const event of ['started', 'success', 'error', 'approvals'])
    await api.call('POST', `organizations/1/notification_templates_${event}/`, { id });
}

const wordOf = '{"run": {{ job.id }}, "status": "{{ job.status }}"}';

const approvalOf = (event: string) => `{"run": {{ job.id }}, "status": "approvals.${event}"}`;

const ticksSql = `
  select s.name, r.at, count(t.id)::int as runs
  from schedules s
  join lateral (select min(schedule_tick) as first, max(schedule_tick) as last from runs where schedule_id = s.id) known on true
  cross join lateral generate_series(known.first, known.last, interval '1 minute') r(at)
  left join runs t on t.schedule_id = s.id and t.schedule_tick = r.at
  where s.name like 'Tick %' group by s.name, r.at order by s.name, r.at`;

/** Each minute, from the first that launched something to the last, has its one run. */
export async function brokenTicks(stage: Pick<Stage, 'query'>): Promise<{ ticks: number; problems: string[] }> {
  const ticks = await stage.query(ticksSql);
  const problems = ticks.flatMap(({ name, at, runs }) =>
    runs === 1 ? [] : [`schedule ${name} made ${runs} runs at ${new Date(at).toISOString()}`],
  );
  return { ticks: ticks.length, problems };
}

const wordsSql = `
  select n.id::int, n.event, n.status, r.id::int as run,
    case when n.event like 'approvals.%' then n.event else n.source ->> 'status' end as told, jsonb_array_length(n.attempts) as attempts
  from notifications n join runs r on r.id = n.run_id order by n.id`;
const endedSql = `
  select r.id::int, r.status, count(n.id)::int as words from runs r
  left join notifications n on n.run_id = r.id and n.event = case r.status when 'successful' then 'success' else 'error' end
  where r.kind in ('job', 'workflow_job') and r.organization_id = 1 and r.finished is not null and r.created > (
    select created from notification_templates where name = 'Chaos')
  group by r.id having count(n.id) <> 1
    -- one that is canceled before anybody saw it ends unheard
    and not (count(n.id) = 0 and r.status = 'canceled' and r.started is null)
  union all
  select r.id::int, r.status, count(n.id)::int from runs r cross join (values (true), (false)) decided(was)
  left join notifications n on n.run_id = r.id and (n.event <> 'approvals.running') = decided.was
  where r.kind = 'workflow_approval' and (r.status in ('successful', 'failed') or not decided.was)
  group by r.id, decided.was having count(n.id) <> 1`;

/** Each end of a run, each question to people and each answer to one has its one notification, each of them came at least once, and no more often than it is marked. */
export async function brokenWords(
  stage: Pick<Stage, 'query'>,
  notified: ReadonlyMap<string, number>,
): Promise<string[]> {
  const words = await stage.query(wordsSql);
  const problems = (await stage.query(endedSql)).map(
    ({ id, status, words: found }) => `run ${id} ended ${status} and has ${found} notifications of it`,
  );
  for (const { id, event, status, run, told, attempts } of words) {
    if (status !== 'successful') problems.push(`notification ${id} (${event} of run ${run}) is ${status}`);
    const came = notified.get(`${run} ${told}`) ?? 0;
    if (came === 0) problems.push(`notification ${id} (${event} of run ${run}) never came`);
    if (came > attempts) problems.push(`notification ${id} came ${came} times and is marked ${attempts} times`);
  }
  return problems;
}
