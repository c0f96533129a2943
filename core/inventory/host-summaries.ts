import type { Knex } from 'knex';
import { inventorySummaries } from './counts.ts';

const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const latest = (column: string) =>
  `(select s.id, s.run_id from job_host_summaries s where s.${column} = h.id order by s.id desc limit 5)`;

const sql = `
  select h.id,
    (select json_build_object('count', count(*), 'results', coalesce(json_agg(json_build_object('id', g.id, 'name', g.name) order by g.id) filter (where g.place <= 5), '[]'))
      from (select g.id, g.name, row_number() over (order by g.id) as place from group_hosts m join groups g on g.id = m.group_id where m.host_id = h.id) g) as groups,
    (select coalesce(json_agg(json_build_object('id', r.id, 'name', coalesce(t.name, ''), 'type', r.kind, 'status', r.status, 'finished', ${iso('r.finished')}) order by s.id desc), '[]')
      from (select * from (${latest('host_id')} union all ${latest('constructed_host_id')}) s order by s.id desc limit 5) s
      join runs r on r.id = s.run_id left join templates t on t.id = r.template_id) as recent_jobs,
    (select json_strip_nulls(json_build_object('id', r.id, 'name', r.name, 'description', r.description, 'finished', ${iso('r.finished')}, 'status', r.status,
        'failed', r.status in ('failed', 'error', 'canceled'), 'canceled_on', ${iso('r.canceled_on')}, 'job_template_id', t.id, 'job_template_name', t.name))
      from runs r left join templates t on t.id = r.template_id where r.id = h.last_job_id) as last_job,
    (select json_build_object('id', s.id, 'failed', s.failed) from job_host_summaries s where s.id = h.last_job_host_summary_id) as last_job_host_summary
  from hosts h where h.id = any (?)`;

/** summary_fields of a page of hosts in two statements. */
export async function hostSummaries(
  db: Knex,
  hosts: { id: number; inventory_id: number }[],
): Promise<Map<number, Record<string, unknown>>> {
  const [inventories, { rows }] = await Promise.all([
    inventorySummaries(
      db,
      hosts.map((host) => host.inventory_id),
    ),
    db.raw(sql, [hosts.map((host) => host.id)]),
  ]);
  const inventoryOf = new Map(hosts.map((host) => [host.id, inventories.get(host.inventory_id)]));
  return new Map(
    rows.map(({ id, ...found }: Record<string, unknown>) => {
      const filled = Object.entries(found).filter(([, value]) => value !== null);
      return [id as number, { inventory: inventoryOf.get(id as number), ...Object.fromEntries(filled) }];
    }),
  );
}

export async function groupSummaries(
  db: Knex,
  groups: { id: number; inventory_id: number }[],
): Promise<Map<number, Record<string, unknown>>> {
  const inventories = await inventorySummaries(
    db,
    groups.map((group) => group.inventory_id),
  );
  return new Map(groups.map((group) => [group.id, { inventory: inventories.get(group.inventory_id) }]));
}
