import { ApiError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { activeStatuses } from './states.ts';

const shownAtMost = 100;

/** Refuses to delete what unfinished runs still use: `using` narrows the runs (`(runs) => runs.where('project_id', id)`). */
export async function assertNoActiveRuns(trx: Knex, using: (runs: Knex.QueryBuilder) => void): Promise<void> {
  const runs = await trx
    .from('runs')
    .select('id', { type: 'kind' })
    .whereIn('status', activeStatuses)
    .where(using)
    .orderBy('id')
    .limit(shownAtMost);
  // clients look for both halves of this text and cancel the runs that are listed
  if (runs.length) throw new ApiError(409, { error: 'Resource is being used by running jobs.', active_jobs: runs });
}
