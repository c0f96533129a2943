import type { Knex } from 'knex';

/**
 * What the run of a node set stands with the node, too: whatever follows it has it, even where that run was deleted. For
 * workflows that are over it is read from those runs: to fill in the whole history would hold up everybody meanwhile.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table workflow_job_nodes add column artifacts jsonb not null default '{}';
    update workflow_job_nodes n set artifacts = r.artifacts from runs r, runs w
      where w.id = n.run_id and w.kind = 'workflow_job' and w.status in ('new', 'pending', 'waiting', 'running')
        and r.id = n.job_id and n.outcome is not null and jsonb_typeof(r.artifacts) = 'object' and r.artifacts <> '{}';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table workflow_job_nodes drop column artifacts');
}
