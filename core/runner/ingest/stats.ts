import type { Knex } from 'knex';
import { hostCounters as counters } from '../../events/host-counters.ts';
import { safeJson } from '../../db/safe-text.ts';

type Counter = (typeof counters)[number];
type Summary = Record<Counter, number> & { host_name: string };

/** A host is counted once, under its worst class; the last that applies wins. */
const severity = ['skipped', 'ok', 'changed', 'failures', 'dark'] as const satisfies Counter[];

/** What the closing statistics say of every host they name. */
export function hostSummaries(stats: Record<string, unknown>): Summary[] {
  const names = new Set(counters.flatMap((counter) => Object.keys(tally(stats[counter]))));
  return [...names].map((host_name) => {
    const counts = counters.map((counter) => [counter, whole(tally(stats[counter])[host_name])]);
    return { host_name, ...Object.fromEntries(counts) } as Summary;
  });
}

const tally = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
const whole = (value: unknown): number =>
  Number.isInteger(value) && (value as number) > 0 ? Math.min(value as number, 2 ** 31 - 1) : 0;

export function statusCounts(summaries: Summary[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const summary of summaries) {
    const worst = severity.findLast((counter) => summary[counter] > 0);
    if (worst) counts[worst] = (counts[worst] ?? 0) + 1;
  }
  return counts;
}

/** Custom statistics; no_log ones are replaced as a whole by a marker, as clients know it. */
export function artifactsOf(stats: Record<string, unknown>): Record<string, unknown> | string {
  const data = tally(stats.artifact_data);
  if (data._ansible_no_log) return '$hidden: these statistics were set under no_log';
  return data;
}

/** Everything that follows from the statistics event, in the transaction that stores it. */
export async function storeStats(
  trx: Knex,
  run: { id: number; summarizesHosts?: boolean },
  stats: Record<string, unknown>,
  hostIds: ReadonlyMap<string, number | null>,
): Promise<void> {
  const summaries = hostSummaries(stats);
  await propagateFlags(trx, run.id);
  if (run.summarizesHosts && summaries.length) await storeSummaries(trx, run.id, summaries, hostIds);
  await trx.raw(
    `update runs set host_status_counts = ?::jsonb, artifacts = ?::jsonb,
       play_count = (select count(*) from run_events where run_id = runs.id and event = 'playbook_on_play_start'),
       task_count = (select count(*) from run_events where run_id = runs.id and event = 'playbook_on_task_start')
     where id = ?`,
    [JSON.stringify(statusCounts(summaries)), safeJson(artifactsOf(stats)), run.id],
  );
}

/** Result → task → play → playbook; parents are what the run says they are, so it may say anything. */
const highest = 4;
const isContainer = `(e.event_level in (1, 2) or e.event = 'playbook_on_start')`;

/** A play, task or playbook failed or changed when something below it did. */
async function propagateFlags(trx: Knex, runId: number): Promise<void> {
  await trx.raw(
    `with recursive above(uuid, flag, height) as (
       select parent_uuid, flag.name, 1 from run_events e
       cross join lateral (values ('failed', e.failed), ('changed', e.changed)) flag (name, given)
       where e.run_id = :run and (e.failed or e.changed) and flag.given and e.parent_uuid <> ''
       union
       select e.parent_uuid, a.flag, a.height + 1 from run_events e join above a on e.run_id = :run and e.uuid = a.uuid
       where ${isContainer} and e.parent_uuid <> '' and a.height < ${highest}
     ), marked as (
       select uuid, bool_or(flag = 'failed') as failed, bool_or(flag = 'changed') as changed from above group by uuid
     )
     update run_events e set failed = e.failed or m.failed, changed = e.changed or m.changed from marked m
     where e.run_id = :run and e.uuid = m.uuid and ${isContainer} and ((m.failed and not e.failed) or (m.changed and not e.changed))`,
    { run: runId },
  );
}

async function storeSummaries(
  trx: Knex,
  runId: number,
  summaries: Summary[],
  hostIds: ReadonlyMap<string, number | null>,
): Promise<void> {
  const rows = summaries.map((summary) => ({
    ...summary,
    host_id: hostIds.get(summary.host_name) ?? null,
    failed: summary.dark > 0 || summary.failures > 0,
  }));
  await trx.raw(
    `with constructed as (
       select r.inventory_id from runs r join inventories i on i.id = r.inventory_id where r.id = :run and i.kind = 'constructed'
     ), stored as (
       insert into job_host_summaries (run_id, host_id, constructed_host_id, host_name, ${counters.join(', ')}, failed)
       select :run, (select id from hosts where id = s.host_id),
         (select h.id from constructed c join hosts h on h.inventory_id = c.inventory_id and h.name = s.host_name), s.host_name, ${counters.map((counter) => `s.${counter}`).join(', ')}, s.failed
       from jsonb_to_recordset(:rows::jsonb) as s (host_id bigint, host_name text, ${counters.map((counter) => `${counter} integer`).join(', ')}, failed boolean)
       on conflict on constraint job_host_summaries_host do nothing returning host_name
     )
     insert into host_metrics as m (hostname, automated_counter) select host_name, 1 from stored order by host_name
     on conflict on constraint host_metrics_hostname do update
       set last_automation = excluded.last_automation, automated_counter = m.automated_counter + 1, deleted = false`,
    { run: runId, rows: safeJson(rows) },
  );
  // rows are locked in one order, or two runs on the same hosts would wait for each other in a ring
  await trx.raw(
    `with mine as (select s.id, h.host_id from job_host_summaries s, lateral (values (s.host_id), (s.constructed_host_id)) h (host_id)
                    where s.run_id = :run and h.host_id is not null),
          locked as (select h.id, mine.id as summary from hosts h join mine on mine.host_id = h.id
                     where h.last_job_id is null or h.last_job_id <= :run order by h.id for no key update of h)
     update hosts set last_job_id = :run, last_job_host_summary_id = locked.summary from locked where hosts.id = locked.id`,
    { run: runId },
  );
}
