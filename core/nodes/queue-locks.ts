import type { Knex } from 'knex';
import { runPrepared } from '../db/prepared.ts';
import { freeLocks } from '../queue/free-locks.ts';
import { DEAD_AFTER_S, livesSql } from './living.ts';

/** Of processes that are gone: an older life of a node, or a node that is dead. The queue itself waits for four hours. */
export async function freeLocksOfTheDead(db: Knex): Promise<void> {
  const { rows } = await db.raw(
    `delete from queue_pools p where p.created < now() - ? * interval '1 second'
       and not exists (select 1 from instances i where i.boot_id = p.boot_id and ${livesSql('i.last_seen')})
     returning id`,
    [DEAD_AFTER_S],
  );
  await unlock(db, rows);
}

export async function freeLocksOf(db: Knex, bootId: string): Promise<void> {
  await unlock(db, await db('queue_pools').where({ boot_id: bootId }).delete().returning('id'));
}

const unlock = (db: Knex, pools: readonly { id: string }[]): Promise<void> =>
  freeLocks(
    (text, values) => runPrepared(db, { text }, values),
    pools.map(({ id }) => id),
  );
