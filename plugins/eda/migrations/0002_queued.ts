import type { Knex } from '@tapline/plugin-sdk';

/** Whether an event was given to the queue: what is received is stored first, and given there from the table. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('event_logs', (table) => {
    table.boolean('queued').notNullable().defaultTo(true);
  });
  await knex.raw('create index event_logs_not_queued on event_logs (id) where not queued');
}
