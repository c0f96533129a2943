import type { Knex } from '@tapline/plugin-sdk';

/** A result tells by what it came about, also when its scanner is gone or uses another tool. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('results', (table) => {
    table.text('tool').notNullable().defaultTo('');
  });
  await knex('results')
    .update({ tool: knex('scanners').select('tool').where('id', knex.ref('results.scanner_id')) })
    .whereNotNull('scanner_id');
}
