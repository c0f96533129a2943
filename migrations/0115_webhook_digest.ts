import type { Knex } from 'knex';

/** By what came in, as the number of a delivery is signed by nobody. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index runs_webhook_digest on runs (template_id, (data->>'webhook_digest')) where data->>'webhook_digest' is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index runs_webhook_digest');
}
