import type { Knex } from 'knex';

/** What `initial_password` says of generated ones: that a password is one which everybody tries. Known when it is set. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table users add column well_known_password boolean not null default false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table users drop column well_known_password');
}
