import type { Knex } from 'knex';

interface Moved {
  id: number;
  kind: string;
  template_id: number | null;
  job_type?: string;
}

/** The checkout that a job makes of another branch says nothing about its project. */
const counts = (run: Moved) => run.template_id !== null && !(run.kind === 'project_update' && run.job_type === 'run');

/**
 * A template shows what its newest run does, without a join on every list: its status columns move with
 * the run. This part goes into the statement that moves the runs (`moved`): it is on the way of every launch.
 */
export const followActive = `update templates t set current_run_id = p.run, status = p.status
  from (select template_id, max(id) as run, max(status) as status from moved where not (kind = 'project_update' and job_type = 'run') group by template_id) p
  where t.id = p.template_id and (t.current_run_id is null or t.current_run_id <= p.run)`;

/**
 * The newest run that is still active takes over, else the last one decides: job templates know only
 * successful and failed, projects keep the exact word (contract/jobs.md §1.1).
 */
export async function followFinished(trx: Knex, rows: readonly Moved[]): Promise<void> {
  const newest = new Map<number, number>();
  for (const run of rows)
    if (counts(run)) newest.set(run.template_id!, Math.max(run.id, newest.get(run.template_id!) ?? 0));
  if (!newest.size) return;
  const pairs = JSON.stringify([...newest].map(([template, run]) => ({ template, run })));
  await trx.raw(
    `update templates t set
       current_run_id = other.id,
       status = coalesce(other.status, case
         when t.kind = 'job_template' and r.status <> 'successful' then 'failed'
         else r.status end),
       last_run_id = r.id, last_job_run = r.finished, last_job_failed = r.status <> 'successful'
     from jsonb_to_recordset(?::jsonb) as p(template bigint, run bigint)
     join runs r on r.id = p.run
     left join lateral (
       select id, status from runs o
       where o.template_id = p.template and o.status in ('pending', 'waiting', 'running') and o.id <> all(?)
       order by o.id desc limit 1
     ) other on true
     where t.id = p.template`,
    [pairs, rows.map((row) => row.id)],
  );
}
