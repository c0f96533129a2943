import type { Knex } from 'knex';

/** What plugins may rely on: schedules that somebody made; the upkeep of the service itself is none of them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create view core_schedules as
      select s.id, s.name, s.description, s.unified_job_template_id as template_id, s.enabled, s.rrule, s.timezone, s.next_run,
        s.created, s.modified, s.created_by_id
      from schedules s join templates t on t.id = s.unified_job_template_id where t.kind <> 'system_job_template';
    comment on view core_schedules is 'For plugins: what is launched by the clock.';
    create trigger core_schedules_read_only instead of insert or update or delete on core_schedules
      for each row execute function refuse_write_to_view();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop view core_schedules');
}
