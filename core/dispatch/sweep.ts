import type { Knex } from 'knex';
import { ANSWER, RUN_KEY } from '../runs/locks.ts';

/**
 * A safety net under the wake-ups: a run whose blocker is gone all the same (its row was deleted, a backup was
 * restored) becomes ready. One look per distinct blocker, not per run. A key is free when nobody who is waiting or
 * running holds it and nobody who could be looked at now stands first in its line.
 * @param kinds that are on: no run of another one is looked at
 */
export async function sweepQueue(db: Knex, kinds: string[]): Promise<void> {
  await db.raw(
    `with recursive keys as (
       (select blocked_on as key from runs where status = 'pending' and blocked_on is not null order by blocked_on limit 1)
       union all
       select (select blocked_on from runs where status = 'pending' and blocked_on > keys.key order by blocked_on limit 1) from keys where keys.key is not null
     ),
     free as (
       select key from keys where key !~ ? and key <> ? and not exists (
         select 1 from runs where status in ('waiting', 'running') and key = any (holds))
       and not exists (
         select 1 from runs where status = 'pending' and blocked_on is null and key = any (holds) and kind = any (?))
       union all
       select key from keys where key ~ ? and not exists (
         select 1 from runs where id = substring(key from ?)::bigint and status in ('new', 'pending', 'waiting', 'running'))
     ),
     next as (
       select w.id from free cross join lateral (
         select id from runs where status = 'pending' and blocked_on = free.key and not free.key = any (holds) for no key update skip locked) w
       union all
       select w.id from free cross join lateral (
         select id from runs where status = 'pending' and blocked_on = free.key and free.key = any (holds) and kind = any (?)
         order by id limit 1 for no key update skip locked) w
     )
     update runs set blocked_on = null from next where runs.id = next.id`,
    [RUN_KEY, ANSWER, kinds, RUN_KEY, RUN_KEY, kinds],
  );
}
