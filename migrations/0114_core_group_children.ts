import type { Knex } from 'knex';

/** What plugins may rely on: which groups are in which; a group may be in several, and is never below itself. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create view core_group_children as select c.parent_id, c.child_id from group_children c;
    comment on view core_group_children is 'For plugins: groups that are in a group themselves.';
    create trigger core_group_children_read_only instead of insert or update or delete on core_group_children
      for each row execute function refuse_write_to_view();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop view core_group_children');
}
