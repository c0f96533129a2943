import type { Knex } from 'knex';

/** What a launch came to, and by what: as text (json), since variables may hold what jsonb refuses. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table runs add column decision_record json');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table runs drop column decision_record');
}
