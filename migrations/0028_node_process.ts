import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- the process that serves as this node, for whoever is refused its name; port is null where it serves no requests
    alter table instances add column pid integer, add column port integer`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table instances drop column pid, drop column port');
}
