import type { Knex } from '@tapline/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('waivers', (table) => {
    table.bigIncrements('id');
    table.bigInteger('policy_id').notNullable().index().references('policies.id').onDelete('cascade');
    // which of the next three it is for; with that it goes
    table.text('scope').notNullable();
    table.bigInteger('unified_job_template_id').index().references('templates.id').onDelete('cascade');
    table.bigInteger('inventory_id').index().references('inventories.id').onDelete('cascade');
    table.bigInteger('organization_id').index().references('organizations.id').onDelete('cascade');
    table.text('reason').notNullable();
    // what nobody answers for any more does not count
    table.bigInteger('owner_id').notNullable().index().references('users.id').onDelete('cascade');
    table.timestamp('expires').notNullable();
    table.timestamp('created').notNullable().defaultTo(knex.fn.now());
    table.timestamp('modified').notNullable().defaultTo(knex.fn.now());
    table.bigInteger('created_by_id').references('users.id').onDelete('set null');
    table.bigInteger('modified_by_id').references('users.id').onDelete('set null');
  });
  await knex.schema.alterTable('decisions', (table) => {
    table.boolean('waived').notNullable().defaultTo(false);
    table.bigInteger('waiver_id').index().references('waivers.id').onDelete('set null');
  });
}
