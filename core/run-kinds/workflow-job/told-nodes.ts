import type { Knex } from 'knex';

/** As many as hosts are told of. */
const most = 1000;

/** contract D5: a line for each node of a run, in the order in which they were made. */
export async function toldNodes(db: Knex, run: number): Promise<{ body: string }> {
  const nodes: { id: number; job: number | null; name: string; status: string }[] = await db('workflow_job_nodes as n')
    .leftJoin('runs as r', 'r.id', 'n.job_id')
    .where({ 'n.run_id': run })
    .orderBy('n.id')
    .limit(most)
    .select('n.id', { job: 'r.id', name: 'r.name', status: 'r.status' });
  const lines = nodes.map(({ id, job, name, status }) =>
    job === null ? `- node #${id}: no job` : `- node #${id}: job #${job}, "${name}", ${status}`,
  );
  return { body: ['The nodes of this workflow job:', '', ...lines].join('\n') };
}
