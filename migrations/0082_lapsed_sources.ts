import type { Knex } from 'knex';

/**
 * Sources that brought a host or group once, do not any more, and do not overwrite: they keep it from being removed with
 * another source no longer, and remove it themselves as soon as they overwrite.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table hosts add column lapsed_source_ids bigint[] not null default '{}';
    alter table groups add column lapsed_source_ids bigint[] not null default '{}';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table hosts drop column lapsed_source_ids;
    alter table groups drop column lapsed_source_ids;
  `);
}
