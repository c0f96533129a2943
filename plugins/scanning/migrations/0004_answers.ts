import type { Knex } from '@tapline/plugin-sdk';

/** What tools said of files, by the digest of all that it depends on: whoever asks the same again need not run them. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('answers', (table) => {
    table.text('asked').primary();
    table.jsonb('answer').notNullable();
    table.integer('bytes').notNullable();
    table.timestamp('created').notNullable().defaultTo(knex.fn.now()).index();
    table.timestamp('expires').notNullable().index();
  });
  // of a result with more findings than are kept: rule, file, message and number of all of them
  await knex.schema.alterTable('results', (table) => {
    table.jsonb('kinds');
  });
  // the lines that a finding is about, for who reads the project
  await knex.schema.alterTable('findings', (table) => {
    table.jsonb('excerpt');
  });
}
