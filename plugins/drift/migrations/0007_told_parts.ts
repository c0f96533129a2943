import type { Knex } from '@tapline/plugin-sdk';

/** A run that gathered facts of many hosts tells of them in parts, each of which is noted once. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table told_runs add column part integer not null default 0;
    alter table told_runs drop constraint told_runs_pkey, add primary key (run_id, part);
  `);
}
