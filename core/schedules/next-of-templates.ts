import type { Knex } from 'knex';

/** Templates show which of their enabled schedules comes first; in the order of their ids, as others lock them. */
export async function showNextSchedules(trx: Knex, templates: readonly number[]): Promise<void> {
  if (!templates.length) return;
  await trx.raw(
    `with locked as materialized (select id from templates where id = any (?) order by id for no key update)
    update templates t set next_schedule_id = n.id, next_job_run = n.next_run
    from locked l left join lateral (
      select s.id, s.next_run from schedules s
      where s.unified_job_template_id = l.id and s.enabled and s.next_run is not null order by s.next_run, s.id limit 1) n on true
    where t.id = l.id and (t.next_schedule_id, t.next_job_run) is distinct from (n.id, n.next_run)`,
    [[...new Set(templates)]],
  );
}
