import { activeStatuses } from '../states.ts';

const active = activeStatuses.map((status) => `'${status}'`).join(', ');

/** Whether a run that goes on launched this one, or took it over from the run that it repeats: it must not be deleted under it. */
export const awaitedSql = (run: string): string => `(
  exists (select from runs p where p.id = ${run}.parent_id and p.status in (${active}))
  or exists (select from workflow_job_nodes n join runs p on p.id = n.run_id
    where n.job_id = ${run}.id and p.status in (${active})))`;
