import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Every process that serves is a node, whatever its role. Nodes that differ must not serve together: what one
    -- writes the other could not read, run or show. Null where no process served as this node since the columns are here.
    alter table instances
      -- plugin id → version; null for an optional one that this node had to leave out
      add column plugins    jsonb,
      add column active_key text,
      add column key_ids    text[];
    drop table service_nodes`);
}

export async function down(knex: Knex): Promise<void> {
  const { up: again } = await import('./0019_service_nodes.ts');
  await again(knex);
  await knex.raw('alter table instances drop column plugins, drop column active_key, drop column key_ids');
}
