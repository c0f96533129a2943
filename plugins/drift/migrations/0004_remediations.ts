import type { Knex } from '@tapline/plugin-sdk';

/** How often somebody put it right: whoever launches once more has seen this number, and only one of them changes it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table detections add column remediations integer not null default 0');
}
