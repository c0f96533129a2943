import type { Knex } from 'knex';

const tables = ['workflow_node_links', 'workflow_job_node_links'];

/** What a condition asks in place of one artifact: an expression over all of them and the outcome; '' where it asks for one. */
export async function up(knex: Knex): Promise<void> {
  for (const table of tables) await knex.raw(`alter table ${table} add column expression text not null default ''`);
}

export async function down(knex: Knex): Promise<void> {
  for (const table of tables) await knex.raw(`alter table ${table} drop column expression`);
}
