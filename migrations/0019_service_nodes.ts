import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Every process that serves now, whatever its role: which plugins it runs and which keys it holds. Nodes that
    -- differ must not serve together: what one writes the other could not read, run or show.
    create table service_nodes (
      boot_id    uuid primary key,
      node       text not null,
      roles      text[] not null,
      -- plugin id → version; null for an optional one that this node had to leave out
      plugins    jsonb not null,
      active_key text not null,
      key_ids    text[] not null,
      last_seen  timestamptz not null default now()
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table service_nodes');
}
