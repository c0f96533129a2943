import type { Knex } from 'knex';
import { mergeVariables, type Variables } from '../../../yaml/variables.ts';

/** What a run of a workflow hands on where it is a node itself: what its own runs set, in the order of their nodes. */
export async function mergedArtifacts(trx: Knex, run: number): Promise<Variables> {
  const artifacts: Variables[] = await trx('workflow_job_nodes as n')
    .join('runs as r', 'r.id', 'n.job_id')
    .where('n.run_id', run)
    .whereIn('n.outcome', ['successful', 'failed'])
    .whereRaw(`jsonb_typeof(r.artifacts) = 'object' and r.artifacts <> '{}'`)
    .orderBy('n.id')
    .pluck('r.artifacts');
  return mergeVariables(...artifacts);
}
