import type { Knex } from 'knex';

/** Where runs may be carried out, and by whose nodes they are. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table runs
      -- instance groups that the launch named, in order; null = what template, inventory and organization prefer, none = the control plane
      add column places bigint[],
      -- the group on whose account it runs, once it is placed
      add column instance_group_id bigint references instance_groups on delete set null;
    create index runs_instance_group on runs (instance_group_id, id) where instance_group_id is not null;
    create index runs_active_group on runs (instance_group_id) where status in ('waiting', 'running');

    -- a node that is there because of a policy goes when the policy does; null: somebody put it there
    alter table instance_group_instances add column by_policy boolean not null default false;
    alter table instances add column managed_by_policy boolean not null default true;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index runs_active_group, runs_instance_group;
    alter table runs drop column places, drop column instance_group_id;
    alter table instance_group_instances drop column by_policy;
    alter table instances drop column managed_by_policy;
  `);
}
