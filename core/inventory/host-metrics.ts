import type { Knex } from 'knex';
import { storedFacts } from '../settings/facts.ts';

export interface MetricAges {
  /** months without automation after which a host counts as deleted; 0 = never */
  deleted: number;
  /** and after which nothing is kept of it */
  gone: number;
}

/**
 * What nobody asks for while jobs run: hosts long out of use leave the count, the others learn in how many inventories they
 * stand, and the month is summed up. Rows are locked by name, as ends of jobs lock them.
 */
export async function keepHostMetrics(db: Knex, ages: MetricAges): Promise<number> {
  return db.transaction(async (trx) => {
    const deleted = await removeUnused(trx, ages);
    await countInventories(trx);
    await sumUpMonths(trx);
    await note(trx);
    return deleted;
  });
}

async function removeUnused(trx: Knex, { deleted, gone }: MetricAges): Promise<number> {
  const { rows } = await trx.raw(
    `with old as (
       select id, :gone > 0 and last_automation < now() - make_interval(months => :gone) as whole from host_metrics
       where (:gone > 0 and last_automation < now() - make_interval(months => :gone))
          or (:deleted > 0 and not deleted and last_automation < now() - make_interval(months => :deleted))
       order by hostname for update
     ), removed as (delete from host_metrics m using old where m.id = old.id and old.whole),
     marked as (
       update host_metrics m set deleted = true, deleted_counter = deleted_counter + 1, last_deleted = now()
       from old where m.id = old.id and not old.whole
     )
     select count(*)::integer as count from old`,
    { deleted, gone },
  );
  return rows[0].count;
}

const countInventories = (trx: Knex) =>
  trx.raw(`
    with counted as (
      select m.id, count(h.id)::integer as inventories from host_metrics m left join hosts h on h.name = m.hostname group by m.id
    ), locked as (
      select m.id, c.inventories from host_metrics m join counted c on c.id = m.id
      where m.used_in_inventories is distinct from c.inventories order by m.hostname for update of m
    )
    update host_metrics m set used_in_inventories = locked.inventories from locked where m.id = locked.id`);

/** From the last month that stands: it may have ended since, while those before it do not change any more. */
const sumUpMonths = (trx: Knex) =>
  trx.raw(`
    insert into host_metric_months (date, license_consumed, hosts_added, hosts_deleted)
    select month.first::date, of.consumed, of.added, of.deleted
    from generate_series(
      coalesce((select max(date) from host_metric_months), date_trunc('month', (select min(first_automation) from host_metrics) at time zone 'UTC')),
      date_trunc('month', now() at time zone 'UTC'), interval '1 month') as month (first)
    cross join lateral (
      select month.first at time zone 'UTC' as begins, (month.first + interval '1 month') at time zone 'UTC' as ends
    ) span
    cross join lateral (
      select count(*) filter (where not (m.deleted and m.last_deleted < span.ends)) as consumed,
        count(*) filter (where m.first_automation >= span.begins) as added,
        count(*) filter (where m.deleted and m.last_deleted >= span.begins and m.last_deleted < span.ends) as deleted
      from host_metrics m where m.first_automation < span.ends
    ) of
    on conflict on constraint host_metric_months_date do update
      set license_consumed = excluded.license_consumed, hosts_added = excluded.hosts_added, hosts_deleted = excluded.hosts_deleted`);

const note = (trx: Knex) =>
  trx.raw(
    `insert into service_state (key, value) select key, to_jsonb(to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) from unnest(?::text[]) as key
     on conflict (key) do update set value = excluded.value`,
    [[storedFacts.CLEANUP_HOST_METRICS_LAST_TS, storedFacts.HOST_METRIC_SUMMARY_TASK_LAST_TS]],
  );

/** By hand: the host leaves the count until a job reaches it again. */
export const markDeleted = (trx: Knex, id: number) =>
  trx.raw(
    'update host_metrics set deleted = true, deleted_counter = deleted_counter + 1, last_deleted = now() where id = ? and not deleted',
    [id],
  );
