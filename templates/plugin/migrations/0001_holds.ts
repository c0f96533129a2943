import type { Knex } from '@tapline/plugin-sdk';

/** Runs once, in the plugin's own Postgres schema; `references` finds the tables of core. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('holds', (table) => {
    table.bigIncrements('id');
    table.bigInteger('job_template_id').notNullable().unique().references('templates.id').onDelete('cascade');
    table.text('reason').notNullable();
    table.timestamp('created').notNullable().defaultTo(knex.fn.now());
    table.timestamp('modified').notNullable().defaultTo(knex.fn.now());
    table.bigInteger('created_by_id').references('users.id').onDelete('set null');
    table.bigInteger('modified_by_id').references('users.id').onDelete('set null');
  });
}
