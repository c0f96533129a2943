import { activeSql } from '../../../runs/states.ts';

/** Whether an active workflow took this run over from the one that it repeats: its node names a run that another launched. */
export const tookOver = (run: string): string =>
  `exists (select from workflow_job_nodes n join runs p on p.id = n.run_id where n.job_id = ${run}.id and ${activeSql('p')})`;
