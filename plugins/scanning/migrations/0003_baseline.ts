import type { Knex } from '@tapline/plugin-sdk';

/** Findings that somebody accepted: of a scanner in a project, so many of the same rule, file and message. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('accepted', (table) => {
    table.bigIncrements('id');
    table.bigInteger('scanner_id').notNullable().references('scanners.id').onDelete('cascade');
    table.bigInteger('project_id').notNullable().index().references('templates.id').onDelete('cascade');
    table.text('rule_id').notNullable();
    table.text('file_path').notNullable();
    table.text('message').notNullable();
    table.integer('times').notNullable();
    table.text('reason').notNullable();
    table.timestamp('created').notNullable().defaultTo(knex.fn.now());
    table.bigInteger('created_by_id').references('users.id').onDelete('set null');
  });
  // a message alone may be longer than what an index takes
  await knex.raw(
    'create unique index accepted_once on accepted (scanner_id, project_id, rule_id, md5(file_path), md5(message))',
  );
  await knex.schema.alterTable('results', (table) => {
    table.bigInteger('project_id').index().references('templates.id').onDelete('set null');
    table.integer('accepted_count').notNullable().defaultTo(0);
  });
  await knex.schema.alterTable('findings', (table) => {
    table.boolean('accepted').notNullable().defaultTo(false);
  });
}
