import type { Knex } from 'knex';

/** Why a node of a run launched nothing, although it was reached; '' where it did. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table workflow_job_nodes add column explanation text not null default ''`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table workflow_job_nodes drop column explanation');
}
