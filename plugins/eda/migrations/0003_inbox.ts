import type { Knex } from '@tapline/plugin-sdk';

/**
 * What is not given to the queue yet has a table of its own, whose rows go when it is: a mark in the log would be one more version
 * of a row with ten indexes. Few events are evaluated again, and no other is in the index that finds those.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('inbox', (table) => {
    // without a reference, which would be looked up for each event; a log that is gone by then is passed over
    table.bigInteger('event_log_id').primary();
  });
  await knex.raw(`
    insert into inbox select id from event_logs where not queued;
    alter table event_logs drop column queued;
    drop index event_logs_replay_of_id_index;
    create index event_logs_replay_of on event_logs (replay_of_id) where replay_of_id is not null;
  `);
}
