import { setTimeout as delay } from 'node:timers/promises';
import { factsUpdates } from '@tapline/core/hooks/facts-updates.ts';
import { factsLane } from '@tapline/core/hooks/queue-tasks.ts';
import type { Knex } from 'knex';
import { within } from '../lib/progress.ts';

/** What a run tells of a host. */
export interface Pair {
  host_id: number;
  old_hash: string | null;
  new_hash: string;
}

/** Facts of about 37 kB each, as gathering a machine with many mounts and variables gives. */
export async function fillFacts(db: Knex, hosts: number): Promise<number[]> {
  const [organization] = await db('organizations').insert({ name: 'Drifting' }).returning('id');
  const [inventory] = await db('inventories')
    .insert({ name: 'Drifting', organization_id: organization.id })
    .returning('id');
  await db.raw(`insert into hosts (name, inventory_id) select 'host ' || n, ? from generate_series(1, ?::int) n`, [
    inventory.id,
    hosts,
  ]);
  for (let from = 0; from < hosts; from += 500)
    // portions: a statement ends after 30 s
    await db.raw(
      `insert into facts (hash, document) select '0 ' || h.id, jsonb_build_object('ansible_kernel', '6.1.0-0', 'ansible_hostname', h.name,
       'ansible_mounts', (select jsonb_agg(jsonb_build_object('mount', '/mnt/' || m, 'size_total', m * h.id, 'fstype', 'ext4', 'options', 'rw,relatime')) from generate_series(1, 100) m),
       'ansible_env', (select jsonb_object_agg('VARIABLE_' || v, md5(v::text || h.id)) from generate_series(1, 500) v))
     from (select * from hosts order by id offset ? limit 500) h`,
      [from],
    );
  await db.raw(`insert into host_facts (host_id, hash) select id, '0 ' || id from hosts`);
  await db.raw('analyze');
  return db('hosts').orderBy('id').pluck('id');
}

/** Another kernel on some hosts, as a run would store it; the others have what they had. */
export async function change(db: Knex, ids: readonly number[], round: number): Promise<Pair[]> {
  await db.raw(
    `insert into facts (hash, document) select ? || h.id, f.document || jsonb_build_object('ansible_kernel', ?::text)
     from hosts h join host_facts hf on hf.host_id = h.id join facts f on f.hash = hf.hash where h.id = any (?)`,
    [`${round} `, `6.1.0-${round}`, [...ids]],
  );
  const { rows } = await db.raw(
    `with o as (select host_id, hash from host_facts where host_id = any (:ids))
     update host_facts hf set hash = :round || hf.host_id from o where o.host_id = hf.host_id
     returning hf.host_id, o.hash as old_hash, hf.hash as new_hash`,
    { ids: [...ids], round: `${round} ` },
  );
  return rows;
}

/** Those that have what they had: a run tells of each host that it gathered facts of. */
export const unchanged = async (db: Knex, but: readonly Pair[]): Promise<Pair[]> =>
  db('host_facts')
    .whereNotIn(
      'host_id',
      but.map(({ host_id: id }) => id),
    )
    .select('host_id', 'hash as old_hash', 'hash as new_hash');

/** As the end of a run tells of it; milliseconds until all is captured. */
export async function capture(db: Knex, pairs: readonly Pair[]): Promise<number> {
  const tell = await told(db, pairs);
  const began = performance.now();
  await tell();
  await captured(db, 5);
  return performance.now() - began;
}

/** What a run tells, laid ready in the database: writing it is no work of drift, nor may it delay what else is measured. */
export async function told(db: Knex, pairs: readonly Pair[]): Promise<() => Promise<void>> {
  const [run] = await db('runs').insert({ kind: 'job', name: 'bench', status: 'successful' }).returning('id');
  await db.raw('create table if not exists plugin_drift.bench_told (payload json)');
  await db('plugin_drift.bench_told').delete();
  for (const update of factsUpdates(Number(run.id), [...pairs]))
    await db('plugin_drift.bench_told').insert({ payload: JSON.stringify(update) });
  return () =>
    db.raw('select count(tapline_jobs.add_job(?, payload, flags := ?)) from plugin_drift.bench_told', [
      'drift:hook:take-reports',
      [factsLane('drift')],
    ]);
}

/** Looks every so many milliseconds whether all is. */
export const captured = (db: Knex, everyMs: number): Promise<void> =>
  within(600, 'drift that is captured', nothingLeft(db, everyMs));

async function nothingLeft(db: Knex, everyMs: number): Promise<void> {
  while ((await left(db)) > 0) await delay(everyMs);
}

/** What is still to be captured. */
export async function left(db: Knex): Promise<number> {
  const { rows } = await db.raw(
    `select (select count(*) from plugin_drift.reports) + (select count(*) from tapline_jobs.jobs where task_identifier like 'drift:%') as left`,
  );
  return Number(rows[0].left);
}
