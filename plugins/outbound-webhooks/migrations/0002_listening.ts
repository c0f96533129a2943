import type { Knex } from '@tapline/plugin-sdk';

/** The organizations that anybody is told of: of the changes of others nothing is noted. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('create view listening as select organization_id from outbound_webhooks where enabled');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop view listening');
}
