import type { Knex } from 'knex';

/** How often a condition was asked in vain, and since when: it is not asked for ever. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `alter table workflow_job_node_links add column asked_in_vain smallint not null default 0, add column asked_since timestamptz`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table workflow_job_node_links drop column asked_in_vain, drop column asked_since');
}
