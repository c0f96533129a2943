import type { Knex } from '@tapline/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('policies', (table) => {
    table.bigIncrements('id');
    table.text('name').notNullable();
    table.text('description').notNullable().defaultTo('');
    // a policy goes with its organization; without one it is everybody's
    table.bigInteger('organization_id').index().references('organizations.id').onDelete('cascade');
    table.text('rego_module').notNullable();
    table.text('package_path').notNullable();
    // modules of one package would be merged by the engine
    table.text('package').notNullable();
    table.text('enforcement').notNullable();
    table.boolean('shadow').notNullable();
    table.boolean('enabled').notNullable();
    table.jsonb('applies_to').notNullable();
    table.bigInteger('trigger_count').notNullable().defaultTo(0);
    table.timestamp('last_triggered_at');
    table.timestamp('last_evaluated_at');
    table.text('last_sync_status').notNullable().defaultTo('');
    table.text('last_sync_error').notNullable().defaultTo('');
    table.timestamp('created').notNullable().defaultTo(knex.fn.now());
    table.timestamp('modified').notNullable().defaultTo(knex.fn.now());
    table.bigInteger('created_by_id').references('users.id').onDelete('set null');
    table.bigInteger('modified_by_id').references('users.id').onDelete('set null');
    table.unique(['package'], { indexName: 'policies_package' });
  });
  await knex.schema.createTable('organization_settings', (table) => {
    table.bigInteger('organization_id').primary().references('organizations.id').onDelete('cascade');
    table.text('policy_enforcement').notNullable();
  });
  await knex.schema.createTable('decisions', (table) => {
    table.bigIncrements('id');
    table.bigInteger('policy_id').index().references('policies.id').onDelete('set null');
    table.text('policy_name').notNullable();
    table.bigInteger('organization_id').index().references('organizations.id').onDelete('set null');
    table.text('decision').notNullable();
    table.boolean('shadow').notNullable();
    table.text('message').notNullable();
    table.bigInteger('unified_job_id').index().references('runs.id').onDelete('set null');
    table.bigInteger('unified_job_template_id').index().references('templates.id').onDelete('set null');
    table.bigInteger('triggered_by_id').references('users.id').onDelete('set null');
    table.jsonb('context').notNullable();
    table.timestamp('created').notNullable().defaultTo(knex.fn.now()).index();
  });
  // of launches that were let pass as well, where a setting says so
  await knex.schema.createTable('contexts', (table) => {
    table.bigIncrements('id');
    table.bigInteger('organization_id').index().references('organizations.id').onDelete('cascade');
    table.bigInteger('unified_job_id').index().references('runs.id').onDelete('set null');
    table.jsonb('context').notNullable();
    table.timestamp('created').notNullable().defaultTo(knex.fn.now()).index();
  });
}
