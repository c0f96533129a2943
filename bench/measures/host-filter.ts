import type { Knex } from 'knex';
import pg from 'pg';
import { onDatabase } from '../lib/bench-database.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';

const hosts = 10_000;
const rounds = 15;

/** Facts of about 12 kB each, as gathering a plain machine gives. */
async function fill(db: Knex): Promise<void> {
  const [organization] = await db('organizations').insert({ name: 'Filtered' }).returning('id');
  const [inventory] = await db('inventories')
    .insert({ name: 'Filtered', organization_id: organization.id })
    .returning('id');
  await db.raw(`insert into hosts (name, inventory_id) select 'host ' || n, ? from generate_series(1, ?::int) n`, [
    inventory.id,
    hosts,
  ]);
  await db.raw(
    `insert into facts (hash, document) select 'hash ' || h.id, jsonb_build_object('ansible_hostname', h.name,
       'ansible_os_family', (array['Debian', 'RedHat', 'Suse'])[1 + h.id % 3], 'ansible_processor_vcpus', h.id % 16,
       'ansible_mounts', (select jsonb_agg(jsonb_build_object('mount', '/mnt/' || m, 'size_total', m * h.id, 'fstype', 'ext4')) from generate_series(1, 40) m),
       'ansible_env', (select jsonb_object_agg('VARIABLE_' || v, md5(v::text || h.id)) from generate_series(1, 120) v))
     from hosts h`,
  );
  await db.raw(`insert into host_facts (host_id, hash) select id, 'hash ' || id from hosts`);
  await db.raw('analyze');
}

const filter =
  'ansible_facts__ansible_os_family=Debian and ansible_facts__ansible_mounts[]__mount="/mnt/7" and name__startswith=host';
const byHand = {
  page: `select h.id from hosts h join host_facts hf on hf.host_id = h.id join facts f on f.hash = hf.hash
    where f.document @> '{"ansible_os_family": "Debian"}' and f.document @> '{"ansible_mounts": [{"mount": "/mnt/7"}]}' and h.name like 'host%'
    order by h.name, h.id limit 25`,
  count: `select count(*) from hosts h join host_facts hf on hf.host_id = h.id join facts f on f.hash = hf.hash
    where f.document @> '{"ansible_os_family": "Debian"}' and f.document @> '{"ansible_mounts": [{"mount": "/mnt/7"}]}' and h.name like 'host%'`,
};

/** A page of hosts by their facts, with its count, against the same by statements written by hand. */
export async function hostFilter(): Promise<Figure[]> {
  return onDatabase(async (db, databaseUrl) => {
    progress(`facts of ${hosts.toLocaleString('en')} hosts`);
    await fill(db);
    const service = new Service({ DATABASE_URL: databaseUrl, TAPLINE_ROLES: 'web' });
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      await service.start();
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let round = -2; round < rounds; round++) {
        const began = performance.now();
        const page = await client.query(byHand.page);
        const counted = await client.query(byHand.count);
        const between = performance.now();
        const answer = await service.call('GET', `hosts/?host_filter=${encodeURIComponent(filter)}`);
        const ended = performance.now();
        const ids = answer.results.map(({ id }: { id: number }) => id).join();
        if (answer.count !== Number(counted.rows[0].count) || ids !== page.rows.map(({ id }) => Number(id)).join())
          throw new Error(`the service finds ${answer.count} hosts, the reference ${counted.rows[0].count}`);
        if (round < 0) continue;
        theirs.push(between - began);
        ours.push(ended - between);
      }
      const ratios = ours.map((value, at) => value / theirs[at]!);
      const detail = `service ${spread(ours, 'ms')}; reference ${spread(theirs, 'ms')}`;
      return [figure('host-filter', 'facts of 10,000 hosts ÷ hand-written SQL', median(ratios), 'x', '<=', 2, detail)];
    } finally {
      await client.end();
      await service.stop();
    }
  });
}
