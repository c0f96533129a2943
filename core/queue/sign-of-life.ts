import type { Knex } from 'knex';

/** Two keys of an advisory lock that a process holds while its listening connection lives. */
const keys = `hashtext('tapline process'), hashtext(?)`;

/** For that connection: the lock is shared, so that taking it never waits, and goes with the process, however that ends. */
export const holdSignOfLife = (bootId: string): { text: string; values: string[] } => ({
  text: `select pg_advisory_lock_shared(${keys.replace('?', '$1')})`,
  values: [bootId],
});

/** Is the process still connected? Within a transaction, whose end gives back what asking takes. */
export async function isConnected(trx: Knex, bootId: string): Promise<boolean> {
  const { rows } = await trx.raw(`select pg_try_advisory_xact_lock(${keys}) as gone`, [bootId]);
  return !rows[0].gone;
}

/** SQL: processes of the service that are connected to this database and serve as no node. */
export const strayProcessesSql = `
  select count(distinct l.objid)::int as count from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2 and l.mode = 'ShareLock'
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid::bigint = hashtext('tapline process')::bigint & 4294967295
    and not exists (select 1 from instances i where hashtext(i.boot_id::text)::bigint & 4294967295 = l.objid::bigint)`;
