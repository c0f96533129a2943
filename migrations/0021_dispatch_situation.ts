import type { Knex } from 'knex';

/**
 * What a pass of the dispatcher looks at, in one round trip. Each statement of the function sees what was committed
 * before it began, and the order is what makes a pass right: the lock first, so that no two passes see the same run;
 * the templates' locks before what runs of them already, so that no end of such a run is missed (core/jobs/release.ts).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function dispatch_situation(pass_lock bigint, at_most integer, node_silent interval) returns jsonb language plpgsql as $$
    declare
      ready jsonb;
      involved bigint[];
      running jsonb;
      alive jsonb;
    begin
      perform pg_advisory_xact_lock(pass_lock);

      select jsonb_agg(c) into ready from (
        select r.id, r.kind, r.name, r.template_id, r.project_id, r.allow_simultaneous, r.impact, r.created, r.pending_reasons,
          coalesce((select jsonb_agg(jsonb_build_object('id', d.id, 'kind', d.kind, 'name', d.name, 'status', d.status) order by d.id)
            from run_dependencies rd join runs d on d.id = rd.depends_on where rd.run_id = r.id), '[]') as dependencies,
          case when p.id is null then null else jsonb_build_object('id', p.id, 'scm_type', p.scm_type, 'scm_update_on_launch', p.scm_update_on_launch,
            'scm_update_cache_timeout', p.scm_update_cache_timeout,
            'last_update', (select jsonb_build_object('status', u.status, 'finished', u.finished) from runs u where u.id = p.last_run_id)) end as project
        from runs r left join templates p on p.id = r.project_id
        where r.status = 'pending' and r.blocked_on is null
        order by r.priority desc, r.id limit at_most
      ) c;
      if ready is null then
        return jsonb_build_object('candidates', '[]'::jsonb, 'active', '[]'::jsonb, 'nodes', '[]'::jsonb);
      end if;

      select array_agg(distinct id) into involved
      from jsonb_to_recordset(ready) as c(template_id bigint, project_id bigint), unnest(array[c.template_id, c.project_id]) id
      where id is not null;
      perform id from templates where id = any(involved) order by id for no key update;

      select coalesce(jsonb_agg(a order by a.id), '[]') into running from (
        select id, kind, template_id, status from runs where template_id = any(involved) and status in ('waiting', 'running')
        union
        select id, kind, template_id, status from runs where template_id = any(involved) and kind = 'project_update' and status in ('pending', 'waiting', 'running')
      ) a;
      select coalesce(jsonb_agg(n order by n.id), '[]') into alive from (
        select i.id, i.hostname, i.capacity, coalesce(sum(r.impact), 0)::integer as consumed
        from instances i left join runs r on r.instance_id = i.id and r.status in ('waiting', 'running')
        where i.enabled and i.node_state = 'ready' and 'worker' = any(i.roles) and i.last_seen > now() - node_silent
        group by i.id
      ) n;
      return jsonb_build_object('candidates', ready, 'active', running, 'nodes', alive);
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function dispatch_situation');
}
