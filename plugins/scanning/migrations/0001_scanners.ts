import type { Knex } from '@tapline/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('scanners', (table) => {
    table.bigIncrements('id');
    table.text('name').notNullable();
    table.text('description').notNullable().defaultTo('');
    table.bigInteger('organization_id').index().references('organizations.id').onDelete('cascade');
    table.text('tool').notNullable();
    table.jsonb('config').notNullable();
    table.text('severity_threshold').notNullable();
    table.text('enforcement').notNullable();
    table.boolean('enabled').notNullable();
    table.jsonb('applies_to').notNullable();
    table.bigInteger('trigger_count').notNullable().defaultTo(0);
    table.timestamp('last_run_at');
    table.text('last_run_status').notNullable().defaultTo('');
    table.timestamp('created').notNullable().defaultTo(knex.fn.now());
    table.timestamp('modified').notNullable().defaultTo(knex.fn.now());
    table.bigInteger('created_by_id').references('users.id').onDelete('set null');
    table.bigInteger('modified_by_id').references('users.id').onDelete('set null');
  });
  await knex.schema.createTable('results', (table) => {
    table.bigIncrements('id');
    table.bigInteger('scanner_id').index().references('scanners.id').onDelete('set null');
    table.text('scanner_name').notNullable();
    table.bigInteger('organization_id').index().references('organizations.id').onDelete('set null');
    table.bigInteger('unified_job_id').index().references('runs.id').onDelete('set null');
    table.bigInteger('unified_job_template_id').index().references('templates.id').onDelete('set null');
    table.bigInteger('triggered_by_id').references('users.id').onDelete('set null');
    table.text('status').notNullable();
    table.integer('duration_ms').notNullable();
    table.integer('finding_count').notNullable();
    table.text('highest_severity').notNullable();
    table.text('message').notNullable();
    table.text('raw_output').notNullable();
    // where the files were of
    table.text('revision').notNullable();
    table.timestamp('created').notNullable().defaultTo(knex.fn.now()).index();
  });
  await knex.schema.createTable('findings', (table) => {
    table.bigIncrements('id');
    table.bigInteger('scan_result_id').notNullable().index().references('results.id').onDelete('cascade');
    table.text('rule_id').notNullable();
    table.text('severity').notNullable();
    table.text('file_path').notNullable();
    table.integer('line');
    table.text('message').notNullable();
  });
}
