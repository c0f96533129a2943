import type { Knex } from 'knex';

/** Settings that an administrator changed; a secret's value is encrypted text. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table settings (
      key text primary key,
      value jsonb not null,
      created timestamptz not null default now(),
      modified timestamptz not null default now()
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table settings');
}
