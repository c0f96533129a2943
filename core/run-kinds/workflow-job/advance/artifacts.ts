import type { Knex } from 'knex';
import { mergeVariables, type Variables } from '../../../yaml/variables.ts';

/** What a run of a workflow hands on where it is a node itself: what its own runs set, in the order of their nodes. */
export async function mergedArtifacts(trx: Knex, run: number): Promise<Variables> {
  const artifacts: Variables[] = await trx('workflow_job_nodes')
    .where({ run_id: run })
    .whereIn('outcome', ['successful', 'failed'])
    .whereRaw(`artifacts <> '{}'`)
    .orderBy('id')
    .pluck('artifacts');
  return mergeVariables(...artifacts);
}
