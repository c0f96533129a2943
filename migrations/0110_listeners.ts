import type { Knex } from 'knex';

/**
 * Of some organizations those that have rows in a table of a plugin, which is asked before tasks are entered for it (runs/followers).
 * What stands in the plugin's schema must not fail a change of core's: where it cannot be read, soon, all of them count.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function organizations_listening(listeners text, asked bigint[]) returns setof bigint
      language plpgsql set lock_timeout = '500ms' as $$
    begin
      return query execute
        'select a from unnest($1) a where exists (select from ' || listeners || ' l where l.organization_id = a)' using asked;
    exception when others then
      return query select unnest(asked);
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function organizations_listening(text, bigint[])');
}
