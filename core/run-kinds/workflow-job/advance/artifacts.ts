import type { Knex } from 'knex';
import { mergeVariables, type Variables } from '../../../yaml/variables.ts';
import { mergedStats, statsOf } from './stats-artifacts.ts';

/** SQL: what the run of a node set. Where an older version ended it, while a cluster is upgraded, only the run has it. */
export const setBy = (node: string) => `case when ${node}.artifacts <> '{}' then ${node}.artifacts else coalesce(
    (select r.artifacts from runs r where r.id = ${node}.job_id and jsonb_typeof(r.artifacts) = 'object'), '{}') end`;

/** What nodes side by side hand on: of what they set each over those before it, of how their hosts went all of it. */
export const mergeArtifacts = (siblings: readonly Variables[]): Variables =>
  mergeVariables(...siblings, ...(siblings.length > 1 ? [mergedStats(siblings)] : []));

/** What a run of a workflow hands on where it is a node itself: what its own runs set, in the order of their nodes. */
export async function mergedArtifacts(trx: Knex, run: number): Promise<Variables> {
  const { rows } = await trx.raw<{ rows: { artifacts: Variables }[] }>(
    `select made.artifacts from workflow_job_nodes n cross join lateral (select ${setBy('n')} as artifacts) made
      where n.run_id = ? and n.outcome in ('successful', 'failed') and made.artifacts <> '{}' order by n.id`,
    [run],
  );
  return mergeArtifacts(rows.map(({ artifacts }) => artifacts));
}

/** What a run that ended hands on; what is under no_log is a text in place of what was set. */
export async function artifactsOf(
  trx: Knex,
  run: { id: number; artifacts: unknown },
  stats: boolean,
): Promise<Variables> {
  const { artifacts } = run;
  const set = typeof artifacts === 'object' && artifacts !== null && !Array.isArray(artifacts) ? artifacts : {};
  return stats ? mergeVariables(await statsOf(trx, run.id), set as Variables) : (set as Variables);
}
