import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { onDatabase } from '../lib/bench-database.ts';
import { progress, within } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';

const hosts = Number(process.env.BENCH_HOSTS ?? 10_000);
const rounds = 7;
const hook = 'drift:hook:take-reports';

interface Pair {
  host_id: number;
  old_hash: string | null;
  new_hash: string;
}

/** Facts of about 37 kB each, as gathering a machine with many mounts and variables gives. */
async function fill(db: Knex): Promise<number[]> {
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

/** Another kernel on some hosts, as a run would store it. */
async function change(db: Knex, ids: readonly number[], round: number): Promise<Pair[]> {
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

/** As the end of a run tells of it; milliseconds until all is captured. */
async function capture(db: Knex, pairs: readonly Pair[]): Promise<number> {
  const [run] = await db('runs').insert({ kind: 'job', name: 'bench', status: 'successful' }).returning('id');
  const payload = JSON.stringify({ run_id: Number(run.id), hosts: pairs });
  const began = performance.now();
  await db.raw('select tapline_jobs.add_job(?, ?::json)', [hook, payload]);
  await within(600, 'drift that is captured', done(db));
  return performance.now() - began;
}

async function done(db: Knex): Promise<void> {
  for (;;) {
    const { rows } = await db.raw(
      `select (select count(*) from plugin_drift.reports) + (select count(*) from tapline_jobs.jobs where task_identifier like 'drift:%') as left`,
    );
    if (Number(rows[0].left) === 0) return;
    await delay(5);
  }
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
};

/** The floor: the same documents read, sorted, hashed and written, before and after, with a row for each change. */
async function floor(db: Knex, pairs: readonly Pair[]): Promise<number> {
  const began = performance.now();
  const together = 50;
  for (let from = 0; from < pairs.length; from += together) {
    const some = pairs.slice(from, from + together);
    const read = async (hashes: readonly string[]) =>
      (await db.raw('select hash, document::text as text from facts where hash = any (?)', [[...hashes]])).rows;
    await db.transaction(async (trx) => {
      const before = await read(some.flatMap(({ old_hash: old }) => old ?? []));
      const after = await read(some.map(({ new_hash: hash }) => hash));
      for (const { text } of before) JSON.stringify(sorted(JSON.parse(text)));
      const rows = after.map(({ hash, text }: { hash: string; text: string }) => {
        const json = JSON.stringify(sorted(JSON.parse(text)));
        return { hash: createHash('sha256').update(json).digest('hex'), source: hash, content: json };
      });
      await trx('plugin_drift.bench_snapshots').insert(rows);
      await trx('plugin_drift.bench_detections').insert(rows.map(({ source }: { source: string }) => ({ source })));
    });
  }
  return performance.now() - began;
}

const compared = (ours: number[], theirs: number[]) =>
  `service ${spread(ours, 'ms')}; reference ${spread(theirs, 'ms')}`;

const tables = `create table plugin_drift.bench_snapshots (hash text, source text, content text);
  create table plugin_drift.bench_detections (source text)`;

const megabytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** One host in a hundred changed, of 10,000 with 37 kB of facts. */
export async function driftMeasure(): Promise<Figure[]> {
  return onDatabase(async (db, databaseUrl) => {
    progress(`facts of ${hosts.toLocaleString('en')} hosts`);
    const ids = await fill(db);
    const service = new Service({ DATABASE_URL: databaseUrl, TAPLINE_PLUGINS: 'drift' });
    try {
      await service.start();
      await db.raw(tables);
      progress('the first snapshot of each');
      const first = await capture(
        db,
        ids.map((id) => ({ host_id: id, old_hash: null, new_hash: `0 ${id}` })),
      );
      const [ours, theirs]: [number[], number[]] = [[], []];
      const before = megabytes(service.process!.pid!);
      let most = before;
      for (let round = 1; round <= rounds; round++) {
        const some = ids.filter((_, at) => at % 100 === round);
        const pairs = await change(db, some, round);
        theirs.push(await floor(db, pairs));
        ours.push(await capture(db, pairs));
        most = Math.max(most, megabytes(service.process!.pid!));
      }
      const ratios = ours.map((value, at) => value / theirs[at]!);
      const detail = `${compared(ours, theirs)}; the first snapshot of all took ${Math.round(first)} ms`;
      return [
        figure(
          'drift',
          '1 % of the hosts changed ÷ sorting, hashing, reading and writing',
          median(ratios),
          'x',
          '<=',
          2,
          detail,
        ),
        figure(
          'drift',
          'memory of the service on top',
          most - before,
          'MB',
          '<=',
          100,
          `${Math.round(before)} MB before`,
        ),
      ];
    } finally {
      await service.stop();
    }
  });
}
