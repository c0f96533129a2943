import type { Knex } from 'knex';

/** What plugins may rely on: events of runs, by which host and run they are about; what they hold in full the API tells. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create view core_run_events as
      select e.run_id * 16777216 + e.counter as id, e.run_id, e.counter, e.event, e.host_id, e.host_name, e.play, e.task, e.role,
        e.changed, e.failed, e.created
      from run_events e;
    comment on view core_run_events is 'For plugins: events of runs; quick by host_id and run_id together.';
    create trigger core_run_events_read_only instead of insert or update or delete on core_run_events
      for each row execute function refuse_write_to_view();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop view core_run_events');
}
