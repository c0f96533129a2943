import type { Knex } from 'knex';
import { failedStatuses } from '../../../runs/states.ts';
import { setBy } from '../advance/artifacts.ts';

/** The nodes of a run that are run again: those that failed, and all that follows them; each step by the index (`offset 0`). */
const againSql = `with recursive again as (
    select n.id from workflow_job_nodes n where n.run_id = ? and n.outcome = any (?)
    union
    select l.child_id from again a cross join lateral (select child_id from workflow_job_node_links where parent_id = a.id offset 0) l
  )`;

/** Whether a run has nodes that failed. */
export async function hasFailed(db: Knex, run: number): Promise<boolean> {
  const row = await db('workflow_job_nodes').where({ run_id: run }).whereIn('outcome', failedStatuses).first('id');
  return row !== undefined;
}

/** Nodes that went well before, and whatever did not run in their favour, stay as they were: they are not launched again. */
export async function carryForward(trx: Knex, run: number, before: number): Promise<void> {
  await trx.raw(
    `${againSql} update workflow_job_nodes n set outcome = o.outcome, job_id = o.job_id, artifacts = ${setBy('o')},
       ancestor_artifacts = o.ancestor_artifacts,
       prior_run_succeeded = true,
       prior_run_elapsed = (select extract(epoch from r.finished - r.started)::float8 from runs r where r.id = o.job_id)
     from workflow_job_nodes o
     where n.run_id = ? and o.run_id = ? and o.identifier = n.identifier and o.outcome = 'successful'
       and not exists (select from again where again.id = o.id)`,
    [before, [...failedStatuses], run, before],
  );
}
