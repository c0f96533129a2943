import type { Knex } from 'knex';

/** Secret answers to surveys: by variable, encrypted; few runs have any. They stay, so that the run can be launched again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table runs add column survey_passwords jsonb;
    create index runs_survey_passwords on runs (id) where survey_passwords is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table runs drop column survey_passwords');
}
