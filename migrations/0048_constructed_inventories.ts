import type { Knex } from 'knex';

/** Whoever makes a constructed inventory: it has one source, which the service updates from its inputs. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function make_source_of_constructed() returns trigger language plpgsql as $$
      begin
        insert into templates (kind, name, organization_id, name_scope, inventory_id, source, overwrite, overwrite_vars, update_on_launch,
          verbosity, status, created_by_id, modified_by_id)
        values ('inventory_source', 'Auto-created source for: ' || left(new.name, 480), new.organization_id, 'inventory:' || new.id, new.id,
          'constructed', true, true, true, 1, 'never updated', new.created_by_id, new.modified_by_id);
        return null;
      end $$;
    create trigger inventories_constructed after insert on inventories
      for each row when (new.kind = 'constructed') execute function make_source_of_constructed();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger inventories_constructed on inventories;
    drop function make_source_of_constructed;
  `);
}
