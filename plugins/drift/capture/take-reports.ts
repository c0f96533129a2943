import type { FactsUpdate, Knex, PluginApi, Task } from '@tapline/plugin-sdk';

export interface Hosts {
  hosts: number[];
}

const hostsATask = 50;

/**
 * Keeps what a run told, once however often it is told, and has it captured in the background. Of a host whose facts are those
 * of its newest snapshot nothing is kept: most of a fleet is unchanged by most runs.
 */
export async function takeReports(
  { db, table }: Pick<PluginApi, 'db' | 'table'>,
  capture: Task<Hosts>,
  { run_id: run, part = 0, hosts }: FactsUpdate,
): Promise<void> {
  await db.transaction(async (trx) => {
    if (!(await isNew(trx, table('told_runs'), run, part))) return;
    const { rows } = await trx.raw(
      `insert into ${table('reports')} (run_id, host_id, old_hash, new_hash)
       select ?, h.id, r.old_hash, r.new_hash
       from json_to_recordset(?::json) as r(host_id bigint, old_hash text, new_hash text) join core_hosts h on h.id = r.host_id
       where case when r.old_hash = r.new_hash then r.new_hash is distinct from
         (select s.source_hash from ${table('snapshots')} s where s.host_id = h.id order by s.id desc limit 1) else true end
       order by h.id on conflict do nothing returning host_id`,
      [run, JSON.stringify(hosts)],
    );
    const ids = rows.map(({ host_id: id }: { host_id: number }) => id);
    const tasks = Array.from({ length: Math.ceil(ids.length / hostsATask) }, (_, at) => ({
      hosts: ids.slice(at * hostsATask, (at + 1) * hostsATask),
    }));
    await capture.enqueueAll(trx, tasks);
  });
}

/** A run that is gone has nothing to tell. */
async function isNew(trx: Knex, table: string, run: number, part: number): Promise<boolean> {
  const { rows } = await trx.raw(
    `insert into ${table} (run_id, part) select id, ? from core_runs where id = ? on conflict do nothing returning run_id`,
    [part, run],
  );
  return rows.length > 0;
}
