import type { Knex } from 'knex';

/** What the run of a node set stands with the node, too: whatever follows it has it, even where that run was deleted. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table workflow_job_nodes add column artifacts jsonb not null default '{}';
    update workflow_job_nodes n set artifacts = r.artifacts from runs r
      where r.id = n.job_id and n.outcome is not null and jsonb_typeof(r.artifacts) = 'object' and r.artifacts <> '{}';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table workflow_job_nodes drop column artifacts');
}
