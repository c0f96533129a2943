import type { Knex } from 'knex';

/** Those that belong to no run are found by their age. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('create index notifications_alone on notifications (created) where run_id is null');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index notifications_alone');
}
