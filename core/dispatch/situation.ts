import type { Knex } from 'knex';
import { runPrepared } from '../engine/prepared.ts';
import type { NodeLoad } from './capacity.ts';
import type { Active, Candidate } from './decide.ts';

/** Looked at in one pass; a longer queue takes several. */
export const PASS_SIZE = 200;
/** A node that has not been heard of for so long is dead. */
export const NODE_DEAD_AFTER_S = 20;

const candidates = {
  name: 'dispatch candidates',
  text: `select r.id, r.kind, r.name, r.template_id, r.project_id, r.allow_simultaneous, r.impact, r.created, r.pending_reasons,
       coalesce((select jsonb_agg(jsonb_build_object('id', d.id, 'kind', d.kind, 'name', d.name, 'status', d.status) order by d.id)
         from run_dependencies rd join runs d on d.id = rd.depends_on where rd.run_id = r.id), '[]') as dependencies,
       case when p.id is null then null else jsonb_build_object('id', p.id, 'scm_type', p.scm_type, 'scm_update_on_launch', p.scm_update_on_launch,
         'scm_update_cache_timeout', p.scm_update_cache_timeout,
         'last_update', (select jsonb_build_object('status', u.status, 'finished', u.finished) from runs u where u.id = p.last_run_id)) end as project
     from runs r left join templates p on p.id = r.project_id
     where r.status = 'pending' and r.blocked_on is null
     order by r.priority desc, r.id limit $1`,
};

/** The runs that nothing is known to block, in their order. Blocked ones are never read: the index leaves them out. */
export const loadCandidates = (trx: Knex): Promise<Candidate[]> => runPrepared(trx, candidates, [PASS_SIZE]);

/**
 * Locks the templates and projects of the candidates, in one order. From here on no run of theirs can end
 * without being seen: see core/jobs/release.ts.
 */
export async function lockTemplates(trx: Knex, candidates: readonly Candidate[]): Promise<number[]> {
  const ids = [
    ...new Set(candidates.flatMap(({ template_id: template, project_id: project }) => [template, project])),
  ].filter((id) => id !== null);
  await trx.raw('select id from templates where id = any(?) order by id for no key update', [ids]);
  return ids;
}

export interface Surroundings {
  /** what runs of these templates already, and the updates of these projects, those that still wait included */
  active: Active[];
  /** the nodes that take work, with what they carry */
  nodes: NodeLoad[];
}

const surroundings = {
  name: 'dispatch surroundings',
  text: `select
       (select coalesce(json_agg(a order by a.id), '[]') from (
          select id, kind, template_id, status from runs where template_id = any($1::bigint[]) and status in ('waiting', 'running')
          union
          select id, kind, template_id, status from runs where template_id = any($1::bigint[]) and kind = 'project_update' and status in ('pending', 'waiting', 'running')
        ) a) as active,
       (select coalesce(json_agg(n order by n.id), '[]') from (
          select i.id, i.hostname, i.capacity, coalesce(sum(r.impact), 0)::integer as consumed
          from instances i left join runs r on r.instance_id = i.id and r.status in ('waiting', 'running')
          where i.enabled and i.node_state = 'ready' and 'worker' = any(i.roles) and i.last_seen > now() - $2 * interval '1 second'
          group by i.id
        ) n) as nodes`,
};

export async function loadSurroundings(trx: Knex, templates: readonly number[]): Promise<Surroundings> {
  return (await runPrepared(trx, surroundings, [[...templates], NODE_DEAD_AFTER_S]))[0];
}
