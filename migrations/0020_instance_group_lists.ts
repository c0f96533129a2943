import type { Knex } from 'knex';

/** Lists that keep the order in which they were put together: `position` is what that order is read from. */
const lists = [
  ['organization_instance_groups', 'organization_id', 'organizations', 'instance_group_id', 'instance_groups'],
  ['inventory_instance_groups', 'inventory_id', 'inventories', 'instance_group_id', 'instance_groups'],
  ['template_instance_groups', 'template_id', 'templates', 'instance_group_id', 'instance_groups'],
  ['organization_galaxy_credentials', 'organization_id', 'organizations', 'credential_id', 'credentials'],
] as const;

export async function up(knex: Knex): Promise<void> {
  for (const [table, parent, parents, child, children] of lists)
    await knex.raw(`
      create table ${table} (
        ${parent} bigint not null references ${parents} on delete cascade,
        ${child} bigint not null references ${children} on delete cascade,
        position bigint generated always as identity,
        primary key (${parent}, ${child})
      );
      create index ${table}_child on ${table} (${child});
    `);
}

export async function down(knex: Knex): Promise<void> {
  for (const [table] of lists) await knex.raw(`drop table ${table}`);
}
