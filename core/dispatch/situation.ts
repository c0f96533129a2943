import type { Knex } from 'knex';
import { noWaitSql, runPrepared } from '../db/prepared.ts';
import { livesSql } from '../nodes/living.ts';
import { lockKeysSql } from '../runs/locks.ts';
import { failedStatuses } from '../runs/states.ts';
import type { GroupLoad, NodeLoad } from './place.ts';
import type { Active, Candidate, Holder } from './decide.ts';
import { Look } from './look.ts';

/** Looked at in one pass; a longer queue takes several. */
export const PASS_SIZE = 200;
/** Passes of all nodes go one after the other; the lock ends with the transaction. */
const PASS_LOCK = 7_236_010;

export interface Situation {
  /** the runs that nothing is known to block, in their order; blocked ones are never read: the index leaves them out */
  candidates: Candidate[];
  /** who holds a key that one of them waits for */
  holders: Holder[];
  /** runs of the templates that one of them needs to be run first, those that still wait included */
  active: Active[];
  /** the nodes that take work, with what they carry */
  nodes: NodeLoad[];
  /** those that a candidate may go to */
  groups: GroupLoad[];
}

const lockPass = { name: 'dispatch lock', text: 'select pg_advisory_xact_lock($1)' };

/** Until the transaction ends nobody else decides what runs first, or has it run. */
export const lockDispatch = (trx: Knex): Promise<unknown> => runPrepared(trx, lockPass, [PASS_LOCK]);

/**
 * The same for a pass, which does not wait until the disk has what it decided (1.0 of the 25 ms of a start): that is decided again where
 * Postgres dies before. Who acts on it commits first, and so flushes this as well: a node its claim, the queue what it takes.
 */
const lockForPass = {
  name: 'dispatch pass',
  text: `select ${noWaitSql}, pg_advisory_xact_lock($1)`,
};

/**
 * Where a run may go, in order: what its launch named, else what its template prefers, then its inventory, then its
 * organization, unless one of the first two keeps those behind it out; else `default`. Upkeep goes to the control plane.
 */
const groupsSql = `case
      when r.needs <> 'engine' then null
      when r.places = '{}' then (select array_agg(g.id) from instance_groups g where g.name = 'controlplane')
      when exists (select from instance_groups g where g.id = any (r.places)) then r.places
      else coalesce((select array_agg(g.id order by g.level, g.position) from (
          select x.instance_group_id as id, 1 as level, x.position from template_instance_groups x where x.template_id = r.template_id
          union all
          select x.instance_group_id, 2, x.position from inventory_instance_groups x where x.inventory_id = r.inventory_id
            and not exists (select from templates t where t.id = r.template_id and t.prevent_instance_group_fallback)
          union all
          select x.instance_group_id, 3, x.position from organization_instance_groups x where x.organization_id = r.organization_id
            and not exists (select from templates t where t.id = r.template_id and t.prevent_instance_group_fallback)
            and not exists (select from inventories i where i.id = r.inventory_id and i.prevent_instance_group_fallback)) g),
        (select array_agg(g.id) from instance_groups g where g.name = 'default')) end`;

/** A node that no group names serves those that each service has. */
const groupNodesSql = `(select coalesce(jsonb_agg(m.instance_id), '[]') from instance_group_instances m where m.instance_group_id = g.id)
      || case when g.name in ('default', 'controlplane') then (select coalesce(jsonb_agg(i.id), '[]') from instances i
          where not exists (select from instance_group_instances m where m.instance_id = i.id)) else '[]' end`;

/** All that decides where a run of the queue finds a place; null where something else may have to be done before. */
export const shapeSql = `case when r.needs = 'engine' and r.updates_first = '{}'
      then row(r.impact, r.places, r.template_id, r.inventory_id, r.organization_id)::text end`;

/** A run that no node has room for is read all the same where it ends with what it depends on. An array: that is asked row by row. */
const endsSql = `array(select d.status from run_dependencies rd join runs d on d.id = rd.depends_on where rd.run_id = r.id)
      && '{${failedStatuses.join(', ')}}'`;

/** Those of one priority, or of the lower ones: each begins in the index where the look has come to. */
const readyAt = (
  position: string,
): string => `(select id, kind, name, priority, needs, holds, waits_for, impact, pending_reasons,
      places, template_id, inventory_id, organization_id, updates_first from runs r
    where r.status = 'pending' and r.blocked_on is null and r.kind = any ($1) and ${position}
      and coalesce(${shapeSql} <> all ($5::text[]), true) and (r.needs <> 'engine' or r.impact <= $6 or ${endsSql})
    order by r.priority desc, r.id limit $2)`;

/** What a candidate needs first is left out once it waits for a run of it: that is its own update, or one it shares. */
const candidatesSql = `select r.id, r.kind, r.name, r.priority, ${shapeSql} as shape, r.needs, r.holds, r.waits_for, r.impact, r.pending_reasons, ${groupsSql} as groups,
      coalesce((select jsonb_agg(jsonb_build_object('id', d.id, 'kind', d.kind, 'name', d.name, 'status', d.status) order by d.id)
        from run_dependencies rd join runs d on d.id = rd.depends_on where rd.run_id = r.id), '[]') as dependencies,
      case when r.updates_first = '{}' then '[]' else coalesce((select jsonb_agg(jsonb_build_object('template', t.id,
          'fresh', coalesce(u.status = 'successful' and u.finished + t.update_cache_timeout * interval '1 second' > now(), false)) order by t.id)
        from templates t left join runs u on u.id = t.last_run_id where t.id = any (r.updates_first) and not exists (
          select 1 from run_dependencies rd join runs d on d.id = rd.depends_on where rd.run_id = r.id and d.template_id = t.id)), '[]') end as updates
    from (${readyAt('r.priority = $3 and r.id > $4')} union all ${readyAt('r.priority < $3')}) r
    order by r.priority desc, r.id limit $2`;

/** Keys that candidates hold are locked as well as those that they wait for: what a pass ends it must be able to release. */
const candidates = {
  name: 'dispatch candidates',
  text: `with c as materialized (${candidatesSql}),
      locked as materialized (${lockKeysSql('c, unnest(c.waits_for || c.holds) as key')})
    select c.* from c, (select count(*) from locked) l order by c.priority desc, c.id`,
};

/**
 * That its parameters stand in a query of their own hides them from the planner: it would make a new plan for each pass
 * else, since it takes arrays it does not know for longer ones, and a pass would take 6.7 ms instead of 3.2 (in turns).
 */
const surroundings = {
  name: 'dispatch surroundings',
  text: `with asked as materialized (select $1::text[] as keys, $2::bigint[] as needed, $3::bigint[] as groups) select
    (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'status', status, 'holds', holds) order by id), '[]')
      from runs where status in ('waiting', 'running') and holds && asked.keys) as holders,
    case when asked.needed = '{}' then '[]' else
      (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'template', template_id) order by id), '[]')
       from runs where template_id = any (asked.needed) and status in ('pending', 'waiting', 'running') and shown_by_template) end as active,
    (select coalesce(jsonb_agg(n order by n.id), '[]') from (
      select i.id, i.hostname, i.capacity, coalesce(sum(r.impact), 0)::integer as consumed
      from instances i left join runs r on r.instance_id = i.id and r.needs = 'engine' and r.status in ('waiting', 'running')
      where i.enabled and i.node_state = 'ready' and 'worker' = any (i.roles) and ${livesSql('i.last_seen')}
      group by i.id) n) as nodes,
    (select coalesce(jsonb_agg(g order by g.id), '[]') from (
      select g.id, g.name, g.max_forks, g.max_concurrent_jobs, g.is_container_group, ${groupNodesSql} as nodes,
        coalesce(a.jobs, 0) as jobs, coalesce(a.forks, 0) as forks
      from instance_groups g left join (
        select instance_group_id, count(*)::integer as jobs, sum(impact)::integer as forks from runs
        where status in ('waiting', 'running') and instance_group_id = any (asked.groups) group by instance_group_id) a
        on a.instance_group_id = g.id
      where g.id = any (asked.groups)) g) as groups
    from asked`,
};

/**
 * Each statement sees what was committed before it began, and the order is what makes a pass right: the lock first, so
 * that no two passes see the same run; the keys before who holds them, so that no end of a holder is missed (runs/locks.ts).
 *
 * @param kinds those that this service knows: runs of a plugin that is off wait
 */
export async function loadSituation(trx: Knex, kinds: readonly string[], look = new Look()): Promise<Situation> {
  await runPrepared(trx, lockForPass, [PASS_LOCK]);
  const { after, closed, largest } = look;
  const values = [kinds, PASS_SIZE, after.priority, after.id, [...closed.keys()], largest];
  const ready: Candidate[] = await runPrepared(trx, candidates, values);
  if (!ready.length) return { candidates: [], holders: [], active: [], nodes: [], groups: [] };
  const awaited = [...new Set(ready.flatMap(({ waits_for: keys }) => keys))];
  const needed = ready.flatMap(({ updates }) => updates.map(({ template }) => template));
  const groups = [...new Set(ready.flatMap((run) => run.groups ?? []))];
  const [around]: Omit<Situation, 'candidates'>[] = await runPrepared(trx, surroundings, [awaited, needed, groups]);
  return { candidates: ready, ...around };
}
