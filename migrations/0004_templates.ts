import type { Knex } from 'knex';

/**
 * Templates of every kind share one table, so one id space, one list and one foreign key serve
 * schedules, notifications and runs alike (README, decision "One table of runs, one of templates").
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table templates (
      id               bigint generated always as identity primary key,
      kind             text not null,
      name             text not null,
      description      text not null default '',
      organization_id  bigint references organizations on delete set null,
      -- what the newest run left behind; runs are never joined to show a template
      status           text not null default 'never updated',
      current_run_id   bigint,
      last_run_id      bigint,
      last_job_run     timestamptz,
      last_job_failed  boolean not null default false,
      next_job_run     timestamptz,

      -- job template
      project_id       bigint references templates on delete set null,
      inventory_id     bigint references inventories on delete set null,
      job_type         text not null default 'run',
      playbook         text not null default '',
      forks            integer not null default 0,
      "limit"          text not null default '',
      verbosity        integer not null default 0,
      extra_vars       text not null default '',
      job_tags         text not null default '',
      skip_tags        text not null default '',
      force_handlers   boolean not null default false,
      start_at_task    text not null default '',
      timeout          integer not null default 0,
      use_fact_cache   boolean not null default false,
      host_config_key  text not null default '',
      survey_enabled   boolean not null default false,
      survey_spec      jsonb not null default '{}',
      become_enabled   boolean not null default false,
      diff_mode        boolean not null default false,
      allow_simultaneous boolean not null default false,
      job_slice_count  integer not null default 1,
      job_slice_pinned_hosts text not null default '',
      prevent_instance_group_fallback boolean not null default false,
      webhook_service  text not null default '',
      ask_scm_branch_on_launch boolean not null default false,
      ask_diff_mode_on_launch boolean not null default false,
      ask_variables_on_launch boolean not null default false,
      ask_limit_on_launch boolean not null default false,
      ask_tags_on_launch boolean not null default false,
      ask_skip_tags_on_launch boolean not null default false,
      ask_job_type_on_launch boolean not null default false,
      ask_verbosity_on_launch boolean not null default false,
      ask_inventory_on_launch boolean not null default false,
      ask_credential_on_launch boolean not null default false,
      ask_execution_environment_on_launch boolean not null default false,
      ask_labels_on_launch boolean not null default false,
      ask_forks_on_launch boolean not null default false,
      ask_job_slice_count_on_launch boolean not null default false,
      ask_timeout_on_launch boolean not null default false,
      ask_instance_groups_on_launch boolean not null default false,

      -- project
      scm_type         text not null default '',
      scm_url          text not null default '',
      scm_branch       text not null default '',
      scm_refspec      text not null default '',
      scm_clean        boolean not null default false,
      scm_delete_on_update boolean not null default false,
      scm_track_submodules boolean not null default false,
      scm_update_on_launch boolean not null default false,
      scm_update_cache_timeout integer not null default 0,
      scm_revision     text not null default '',
      allow_override   boolean not null default false,
      credential_id    bigint references credentials on delete set null,
      local_path       text not null default '',
      -- the playbooks and inventory files that the last successful update found
      playbook_files   jsonb not null default '[]',
      inventory_files  jsonb not null default '[]',

      created          timestamptz not null default now(),
      modified         timestamptz not null default now(),
      created_by_id    bigint references users on delete set null,
      modified_by_id   bigint references users on delete set null,
      constraint templates_name_organization unique nulls not distinct (kind, name, organization_id)
    );
    create index templates_kind on templates (kind, name);
    create index templates_project on templates (project_id);
    create index templates_inventory on templates (inventory_id);
    create unique index templates_local_path on templates (local_path) where local_path <> '';

    create table template_credentials (
      template_id   bigint not null references templates on delete cascade,
      credential_id bigint not null references credentials on delete cascade,
      primary key (template_id, credential_id)
    );
    create index template_credentials_credential on template_credentials (credential_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table template_credentials, templates');
}
