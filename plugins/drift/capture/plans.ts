import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import { type Chain, chainOf, type Report } from './chain.ts';

type Tables = Pick<PluginApi, 'table'>;

/** The newest snapshot of a host. */
export interface LatestSnapshot {
  id: number;
  facts_hash: string;
  source_hash: string;
  captured_at: string;
  job_id: number | null;
  base_id: number | null;
}

/** What is to be captured of a host. */
export interface HostPlan {
  host_id: number;
  inventory_id: number;
  organization_id: number | null;
  latest: LatestSnapshot | null;
  chain: Chain;
}

/** Nobody else captures or judges these hosts until the transaction ends. */
export async function lockHosts({ table }: Tables, trx: Knex, hosts: readonly number[]): Promise<void> {
  await trx.raw(
    `insert into ${table('watched_hosts')} (host_id) select id from core_hosts where id = any (?) order by id on conflict do nothing`,
    [[...hosts]],
  );
  await trx.raw(`select from ${table('watched_hosts')} where host_id = any (?) order by host_id for update`, [
    [...hosts],
  ]);
}

interface PlanRow {
  host_id: number;
  inventory_id: number;
  organization_id: number | null;
  reports: Report[];
  latest: LatestSnapshot | null;
  current: string | null;
}

/** `patience`: after so many seconds nothing that belongs before a report is waited for. */
export async function readPlans(
  { table }: Tables,
  trx: Knex,
  hosts: readonly number[],
  patience: number,
): Promise<HostPlan[]> {
  const { rows } = await trx.raw(
    `select h.id as host_id, h.inventory_id, i.organization_id, f.hash as current, r.reports,
       (select to_jsonb(s) from (select id, facts_hash, source_hash, captured_at, job_id, base_id from ${table('snapshots')} s
         where s.host_id = h.id order by s.id desc limit 1) s) as latest
     from core_hosts h join core_inventories i on i.id = h.inventory_id
     left join core_host_facts f on f.host_id = h.id
     join lateral (
       select jsonb_agg(jsonb_build_object('run_id', r.run_id, 'old_hash', r.old_hash, 'new_hash', r.new_hash,
         'settled', r.old_hash is null or r.created < now() - make_interval(secs => :patience))) as reports
       from ${table('reports')} r where r.host_id = h.id
     ) r on r.reports is not null
     where h.id = any (:hosts) order by h.id`,
    { hosts: [...hosts], patience },
  );
  return rows.map(({ reports, latest, current, ...host }: PlanRow) => ({
    ...host,
    latest,
    chain: chainOf(reports, { latest: latest?.source_hash ?? null, current }),
  }));
}
