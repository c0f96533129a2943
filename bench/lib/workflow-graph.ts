import type { Knex } from 'knex';

/** A run of a workflow that goes on in this many nodes, each with a child that waits for it, and the ids of the nodes that go on. */
export async function graphOf(db: Knex, nodes: number): Promise<{ run: number; going: number[] }> {
  const [template] = await db('templates').insert({ kind: 'workflow_job_template', name: 'Graph' }).returning('id');
  const [run] = await db('runs')
    .insert({ kind: 'workflow_job', name: 'Graph', status: 'running', needs: 'nobody', template_id: template.id })
    .returning('id');
  const half = nodes / 2;
  const insert = async (from: number, goes: boolean): Promise<number[]> => {
    const { rows } = await db.raw(
      `insert into workflow_job_nodes (run_id, unified_job_template_id, identifier, job_id)
       select ?, ?, 'node ' || n, case when ? then ?::bigint end from generate_series(?::integer, ?::integer) n returning id`,
      [run.id, template.id, goes, run.id, from, from + half - 1],
    );
    return rows.map(({ id }: { id: number }) => id);
  };
  const going = await insert(1, true);
  const waiting = await insert(half + 1, false);
  await db('workflow_job_node_links').insert(
    going.map((parent_id, index) => ({ parent_id, child_id: waiting[index], kind: 'failure' })),
  );
  await db.raw('analyze workflow_job_nodes, workflow_job_node_links');
  return { run: run.id, going };
}
