import type { Knex } from 'knex';
import pg from 'pg';
import { onDatabase } from '../lib/bench-database.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';

const hosts = 10_000;
const groups = 100;
const rounds = 9;
const warmUps = 2;

/** About 300 bytes of variables a host, each host in two groups. @returns the inventory */
async function fill(db: Knex): Promise<number> {
  const [organization] = await db('organizations').insert({ name: 'Scripted' }).returning('id');
  const [{ id }] = await db('inventories')
    .insert({ name: 'Scripted', organization_id: organization.id })
    .returning('id');
  await db.raw(
    `insert into hosts (name, inventory_id, variables) select 'host-' || lpad(n::text, 5, '0'), ?,
       jsonb_build_object('ansible_host', '10.0.' || n / 256 || '.' || n % 256, 'number', n, 'zone', 'zone ' || n % 7,
         'tags', (select jsonb_object_agg('tag-' || t, 'value ' || t || ' of host ' || n) from generate_series(1, 8) t))::text
     from generate_series(1, ?::int) n`,
    [id, hosts],
  );
  await db.raw(
    `insert into groups (name, inventory_id, variables) select 'group_' || n, ?, '{"number": ' || n || '}' from generate_series(1, ?::int) n`,
    [id, groups],
  );
  await db.raw(
    `insert into group_hosts (group_id, host_id) select g.id, h.id from hosts h join groups g on g.inventory_id = h.inventory_id
       and g.name in ('group_' || 1 + h.id % ?::int, 'group_' || 1 + h.id / 7 % ?::int) where h.inventory_id = ?`,
    [groups, groups, id],
  );
  await db.raw('analyze');
  return id;
}

/** What the document is made of, as rows; whoever asks for it puts them together himself. */
const byHand = [
  'select variables from inventories where id = $1',
  'select id, name, variables from hosts where inventory_id = $1 and enabled order by name',
  `select g.name, g.variables, (select array_agg(l.host_id) from group_hosts l where l.group_id = g.id) as hosts,
     (select array_agg(l.child_id) from group_children l where l.parent_id = g.id) as children
     from groups g where g.inventory_id = $1 order by g.name`,
];

/** `inventories/N/script/?hostvars=1` against the statements alone, in turns. */
export async function inventoryScript(): Promise<Figure[]> {
  return onDatabase(async (db, databaseUrl) => {
    progress(`${hosts.toLocaleString('en')} hosts`);
    const inventory = await fill(db);
    const service = new Service({ DATABASE_URL: databaseUrl, TAPLINE_ROLES: 'web' });
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      await service.start();
      const ours: number[] = [];
      const theirs: number[] = [];
      const bare = async () => {
        const began = performance.now();
        for (const sql of byHand) await client.query(sql, [inventory]);
        return performance.now() - began;
      };
      const asked = async () => {
        const began = performance.now();
        // to its last byte, as the driver has its rows then; what a client makes of it is no work of the service
        const bytes = await service.download(`inventories/${inventory}/script/?hostvars=1`);
        const took = performance.now() - began;
        const document = JSON.parse(new TextDecoder().decode(bytes));
        const found = Object.keys(document._meta.hostvars).length;
        if (found !== hosts) throw new Error(`the document has ${found} hosts`);
        return took;
      };
      for (let round = -warmUps; round < rounds; round++) {
        // alternating who comes first
        const [first, second] = round % 2 ? [asked, bare] : [bare, asked];
        const [one, two] = [await first(), await second()];
        if (round < 0) continue;
        ours.push(first === asked ? one : two);
        theirs.push(first === asked ? two : one);
      }
      const ratio = median(ours.map((value, at) => value / theirs[at]!));
      const detail = `service ${spread(ours, 'ms')}; the SQL ${spread(theirs, 'ms')}; after ${warmUps} to warm up`;
      return [figure('inventory-script', '10,000 hosts with variables ÷ the SQL', ratio, 'x', '<=', 3, detail)];
    } finally {
      await client.end();
      await service.stop();
    }
  });
}
