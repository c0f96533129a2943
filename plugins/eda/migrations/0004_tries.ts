import type { Knex } from '@tapline/plugin-sdk';

/** How often the evaluation of an event was begun since the sweep first found it: one whose task only waits has not failed. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('event_logs', (table) => {
    table.integer('tries').notNullable().defaultTo(0);
  });
}
