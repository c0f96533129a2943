import type { Knex } from '@tapline/plugin-sdk';

/** What calendars are bound to, by the table of core. */
const bound = { organization: 'organizations', inventory: 'inventories', template: 'templates' };

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('calendars', (table) => {
    table.bigIncrements('id');
    table.text('name').notNullable();
    table.text('description').notNullable().defaultTo('');
    table.bigInteger('organization_id').notNullable().index().references('organizations.id').onDelete('cascade');
    table.text('kind').notNullable();
    table.text('timezone').notNullable();
    table.jsonb('windows').notNullable();
    table.timestamp('created').notNullable().defaultTo(knex.fn.now());
    table.timestamp('modified').notNullable().defaultTo(knex.fn.now());
    table.bigInteger('created_by_id').references('users.id').onDelete('set null');
    table.bigInteger('modified_by_id').references('users.id').onDelete('set null');
    table.unique(['organization_id', 'name'], { indexName: 'calendars_name' });
  });
  for (const [what, core] of Object.entries(bound))
    // one after the other: they are statements of one transaction
    // oxlint-disable-next-line no-await-in-loop
    await knex.schema.createTable(`${what}_calendars`, (table) => {
      table.bigInteger(`${what}_id`).notNullable().references(`${core}.id`).onDelete('cascade');
      table.bigInteger('calendar_id').notNullable().index().references('calendars.id').onDelete('cascade');
      table.primary([`${what}_id`, 'calendar_id']);
    });
  // runs that were let through all the same: what they launch is let through as well
  await knex.schema.createTable('overrides', (table) => {
    table.bigInteger('run_id').notNullable().references('runs.id').onDelete('cascade');
    table.bigInteger('calendar_id').notNullable().index().references('calendars.id').onDelete('cascade');
    table.primary(['run_id', 'calendar_id']);
  });
}
