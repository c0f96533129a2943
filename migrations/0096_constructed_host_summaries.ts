import type { Knex } from 'knex';

/** Jobs on constructed inventories: the host there, beside the original that the result belongs to. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table job_host_summaries add column constructed_host_id bigint references hosts on delete set null;
    create index job_host_summaries_of_constructed_host on job_host_summaries (constructed_host_id, id)
      where constructed_host_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table job_host_summaries drop column constructed_host_id');
}
