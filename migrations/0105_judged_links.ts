import type { Knex } from 'knex';

/** What came of a condition: judged once, when the node before it has come to its end, and kept whatever happens later. */
export async function up(knex: Knex): Promise<void> {
  // null: not judged
  await knex.raw('alter table workflow_job_node_links add column holds boolean');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table workflow_job_node_links drop column holds');
}
