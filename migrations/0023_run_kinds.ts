import type { Knex } from 'knex';

/**
 * What the dispatcher has to know of a run, as data, so that it knows no kind: what it needs, the keys that it holds and
 * waits for, and the templates that are run first. And the room that further kinds take: values that a workflow leaves
 * unset, names that are unique below something else than an organization.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function dispatch_situation;

    alter table runs
      -- engine = a node and its capacity, task = a task of the queue, nobody = it only waits
      add column needs text not null default 'engine',
      -- keys that nobody else gets while it is waiting or running
      add column holds text[] not null default '{}',
      -- keys that nobody else may hold when it begins
      add column waits_for text[] not null default '{}',
      -- templates that are run before it, unless their last run is recent enough
      add column updates_first bigint[] not null default '{}',
      -- the run that launched it
      add column parent_id bigint references runs on delete set null,
      add column shown_by_template boolean not null default true,
      -- what a kind keeps that has no column
      add column data jsonb not null default '{}',
      alter column "limit" drop not null,
      alter column job_tags drop not null,
      alter column skip_tags drop not null,
      alter column scm_branch drop not null;
    create index runs_parent on runs (parent_id) where parent_id is not null;
    drop index runs_active_update;
    drop index runs_active_template;

    alter table templates rename column scm_update_cache_timeout to update_cache_timeout;
    alter table templates
      -- what a name is unique below, besides an organization: 'inventory:5'
      add column name_scope text not null default '',
      add column data jsonb not null default '{}',
      alter column "limit" drop not null,
      alter column job_tags drop not null,
      alter column skip_tags drop not null,
      alter column scm_branch drop not null,
      drop constraint templates_name_organization,
      add constraint templates_name_organization unique nulls not distinct (kind, name, organization_id, name_scope);

    update runs set
      shown_by_template = not (kind = 'project_update' and job_type = 'run'),
      holds = case kind when 'project_update' then array['project:' || template_id] else array['template:' || template_id] end,
      waits_for = case kind when 'project_update' then array['project:' || template_id]
        else array_remove(array[case when not allow_simultaneous then 'template:' || template_id end, 'project:' || project_id, 'inventory:' || inventory_id], null) end,
      updates_first = case kind when 'project_update' then '{}' else
        coalesce((select array[p.id] from templates p where p.id = runs.project_id and p.scm_type <> '' and p.scm_update_on_launch), '{}') end,
      blocked_on = case when blocked_on like 'run:%' then blocked_on end
    where status in ('new', 'pending', 'waiting', 'running') and template_id is not null;
    alter table runs drop column project_update_id;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table runs
      add column project_update_id bigint references runs on delete set null,
      drop column needs, drop column holds, drop column waits_for, drop column updates_first, drop column parent_id,
      drop column shown_by_template, drop column data;
    update runs set "limit" = coalesce("limit", ''), job_tags = coalesce(job_tags, ''), skip_tags = coalesce(skip_tags, ''), scm_branch = coalesce(scm_branch, '');
    update templates set "limit" = coalesce("limit", ''), job_tags = coalesce(job_tags, ''), skip_tags = coalesce(skip_tags, ''), scm_branch = coalesce(scm_branch, '');
    alter table runs alter column "limit" set not null, alter column job_tags set not null, alter column skip_tags set not null, alter column scm_branch set not null;
    alter table templates
      drop constraint templates_name_organization,
      drop column name_scope, drop column data,
      alter column "limit" set not null, alter column job_tags set not null, alter column skip_tags set not null, alter column scm_branch set not null,
      add constraint templates_name_organization unique nulls not distinct (kind, name, organization_id);
    alter table templates rename column update_cache_timeout to scm_update_cache_timeout;
    create index runs_active_update on runs (template_id) where kind = 'project_update' and status in ('pending', 'waiting', 'running');
    create index runs_active_template on runs (template_id) where status in ('waiting', 'running');
  `);
  const { up: again } = await import('./0021_dispatch_situation.ts');
  await again(knex);
}
