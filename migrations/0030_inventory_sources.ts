import type { Knex } from 'knex';

/**
 * Where the hosts of an inventory come from. A source is a template like any other that is run. Which sources a host or
 * group comes from stands in its own row: an update that changes nothing then writes nothing, and one that brings ten
 * thousand hosts writes no further table.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table templates
      -- ec2, scm …; '' for whatever is no source
      add column source text not null default '',
      add column source_path text not null default '',
      add column source_vars text not null default '',
      add column source_script text not null default '',
      add column enabled_var text not null default '',
      add column enabled_value text not null default '',
      add column host_filter text not null default '',
      add column overwrite boolean not null default false,
      add column overwrite_vars boolean not null default false,
      add column update_on_launch boolean not null default false,
      add column update_on_project_update boolean not null default false,
      -- null = no guard
      add column max_removed_percent integer;
    create index templates_sources on templates (inventory_id) where source <> '';
    create index templates_updated_on_launch on templates (inventory_id) where update_on_launch;
    create index templates_updated_with_project on templates (project_id) where update_on_project_update;

    alter table hosts add column source_ids bigint[] not null default '{}';
    alter table groups add column source_ids bigint[] not null default '{}';
    create view source_hosts as select s.id as source_id, h.id as host_id
      from hosts h cross join unnest(h.source_ids) as u (id) join templates s on s.id = u.id;
    create view source_groups as select s.id as source_id, g.id as group_id
      from groups g cross join unnest(g.source_ids) as u (id) join templates s on s.id = u.id;

    -- whoever deletes an inventory: its sources are nothing without it
    create function delete_sources_of_inventory() returns trigger language plpgsql as $$
      begin
        delete from templates where inventory_id = old.id and source <> '';
        return old;
      end $$;
    create trigger inventories_sources before delete on inventories
      for each row execute function delete_sources_of_inventory();
    -- they are their inventory's organization's; what the end of an organization has changed already is not touched again, since
    -- their other links would be checked then, while those that end with it still stand
    create function move_sources_of_inventory() returns trigger language plpgsql as $$
      begin
        update templates set organization_id = new.organization_id where inventory_id = new.id and source <> ''
          and organization_id is distinct from new.organization_id;
        return null;
      end $$;
    create trigger inventories_sources_moved after update of organization_id on inventories
      for each row when (old.organization_id is distinct from new.organization_id)
      execute function move_sources_of_inventory();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger inventories_sources_moved on inventories;
    drop trigger inventories_sources on inventories;
    drop function move_sources_of_inventory;
    drop function delete_sources_of_inventory;
    drop view source_groups, source_hosts;
    alter table hosts drop column source_ids;
    alter table groups drop column source_ids;
    delete from templates where source <> '';
    alter table templates
      drop column source, drop column source_path, drop column source_vars, drop column source_script,
      drop column enabled_var, drop column enabled_value, drop column host_filter, drop column overwrite,
      drop column overwrite_vars, drop column update_on_launch, drop column update_on_project_update,
      drop column max_removed_percent;
  `);
}
