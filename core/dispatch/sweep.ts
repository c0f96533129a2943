import type { Knex } from 'knex';

/**
 * A safety net under the wake-ups: a run whose blocker is gone all the same (its row was deleted, a backup was
 * restored) becomes ready. One look per distinct blocker, not per run.
 */
export async function sweepQueue(db: Knex): Promise<void> {
  await db.raw(
    `with recursive keys as (
       (select blocked_on as key from runs where status = 'pending' and blocked_on is not null order by blocked_on limit 1)
       union all
       select (select blocked_on from runs where status = 'pending' and blocked_on > keys.key order by blocked_on limit 1) from keys where keys.key is not null
     ),
     free as (
       select key from keys where key like 'template:%' and not exists (
         select 1 from runs where template_id = split_part(key, ':', 2)::bigint and status in ('waiting', 'running'))
       and not exists (
         select 1 from runs where template_id = split_part(key, ':', 2)::bigint and status = 'pending' and blocked_on is null)
       union all
       select key from keys where key like 'run:%' and not exists (
         select 1 from runs where id = split_part(key, ':', 2)::bigint and status in ('new', 'pending', 'waiting', 'running'))
     ),
     next as (
       select w.id from free cross join lateral (
         select id from runs where status = 'pending' and blocked_on = free.key order by id
         limit case when free.key like 'run:%' then null else 1 end for no key update skip locked) w
     )
     update runs set blocked_on = null from next where runs.id = next.id`,
  );
}
