import type { Knex } from 'knex';

/** What a workflow has to look at when a node ends: the nodes that ended and have not been looked at, whatever else there is. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- it has come to something, and what follows it has not been decided; it may be tried again, and was not yet
    alter table workflow_job_nodes add column news boolean not null default false;
    create index workflow_job_nodes_news on workflow_job_nodes (run_id) where news;
    create index workflow_job_nodes_open on workflow_job_nodes (run_id) where not do_not_run and outcome is null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index workflow_job_nodes_open, workflow_job_nodes_news;
    alter table workflow_job_nodes drop column news;
  `);
}
