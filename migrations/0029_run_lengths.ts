import type { Knex } from 'knex';

/** Output may have more lines than an integer counts; and what failed is passed up from child to parent by the parent's name. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table runs alter column stdout_lines type bigint;
    alter table run_events alter column start_line type bigint, alter column end_line type bigint;
    create index run_events_container on run_events (run_id, uuid) where event_level in (1, 2) or event = 'playbook_on_start';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index run_events_container;
    alter table run_events alter column start_line type integer, alter column end_line type integer;
    alter table runs alter column stdout_lines type integer;
  `);
}
