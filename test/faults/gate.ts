import type { Knex } from 'knex';
import type { Node } from '../chaos/node.ts';
import { until } from '../support/until.ts';

const key = 7_231_999;

interface Killed<T> {
  db: Knex;
  node: Node;
  /** before what the process dies, as a trigger says it: `update of status on runs` */
  change: string;
  /** of the row, where not any: `new.finished is not null` */
  when?: string;
  /** what leads there; it need not wait for it */
  work: () => Promise<T>;
}

/** Kills a node when it comes to a change of a table, which is given up with it. */
export async function killedAt<T>({ db, node, change, when, work }: Killed<T>): Promise<T> {
  const table = change.split(' ').at(-1)!;
  await db.raw(`
    create function wait_at_gate() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(${key}); return coalesce(new, old); end $$;
    create trigger gate before ${change} for each row ${when ? `when (${when})` : ''} execute function wait_at_gate();`);
  const held = await db.transaction();
  await held.raw('select pg_advisory_xact_lock(?)', [key]);
  const result = await work();
  const waiting = `select pid from pg_locks where locktype = 'advisory' and not granted and objid = ${key}`;
  await until(async () => (await db.raw(waiting)).rows.length, 60_000, `somebody comes to the ${change}`);
  await node.kill();
  await db.raw(`select pg_terminate_backend(pid) from (${waiting}) as w`);
  await held.commit();
  await until(async () => !(await db.raw(waiting)).rows.length);
  await db.raw(`drop trigger gate on ${table}; drop function wait_at_gate();`);
  return result;
}
