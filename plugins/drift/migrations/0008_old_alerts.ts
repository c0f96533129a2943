import type { Knex } from '@tapline/plugin-sdk';

/** What is old among the alerts is looked for each night. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('create index alerts_created on alerts (created)');
}
