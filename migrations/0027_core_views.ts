import type { Knex } from 'knex';

/**
 * What plugins may rely on when they read core's data: views of columns that are promised (plugin-sdk/rows). A column of a
 * table that is renamed keeps its name here, and one that a view shows cannot be dropped unseen.
 */
interface View {
  says: string;
  query: string;
}

const columns = (table: string, names: string, ...computed: string[]) =>
  `select ${[...names.split(/[\s,]+/).map((name) => `t."${name}"`), ...computed].join(', ')} from ${table} t`;

const people: Record<string, View> = {
  core_organizations: {
    says: 'organizations',
    query: columns('organizations', 'id name description max_hosts created modified'),
  },
  core_users: {
    says: 'users; nothing of their passwords but whether it is the one of the installation, or a well-known one',
    query: columns(
      'users',
      'id username first_name last_name email is_superuser is_system_auditor is_active last_login created modified',
      't.initial_password or t.well_known_password as has_default_password',
    ),
  },
  core_teams: { says: 'teams', query: columns('teams', 'id name description organization_id created modified') },
  core_team_members: {
    says: 'who is in which team, by whatever path',
    query: columns('team_users', 'team_id user_id'),
  },
};

const inventory: Record<string, View> = {
  core_inventories: {
    says: 'inventories',
    query: columns(
      'inventories',
      'id name description organization_id kind host_filter variables pending_deletion created modified',
    ),
  },
  core_hosts: {
    says: 'hosts',
    query: columns('hosts', 'id name description inventory_id enabled variables last_job_id created modified'),
  },
  core_groups: {
    says: 'groups',
    query: columns('groups', 'id name description inventory_id variables created modified'),
  },
  core_group_hosts: { says: 'hosts that are in a group themselves', query: columns('group_hosts', 'group_id host_id') },
  core_facts: { says: 'immutable documents of facts by their hash', query: columns('facts', 'hash document created') },
  core_host_facts: { says: 'the latest facts of hosts', query: columns('host_facts', 'host_id hash run_id modified') },
};

/** The last good update of a project may have been one for a job alone, or have been deleted since. */
const lastSynced = `greatest(case when t.status = 'successful' then t.last_job_run end, (
  select r.finished from runs r where r.template_id = t.id and r.kind = 'project_update' and r.status = 'successful'
  order by r.id desc limit 1)) as last_synced`;

const questions = `case when jsonb_typeof(t.survey_spec -> 'spec') = 'array' then jsonb_array_length(t.survey_spec -> 'spec') else 0 end as survey_questions`;

const templates: Record<string, View> = {
  core_templates: {
    says: 'what runs are launched from, of every kind: job templates, projects, those of plugins',
    query: columns(
      'templates',
      `id kind name description organization_id status last_run_id last_job_run last_job_failed next_job_run
       project_id inventory_id job_type playbook scm_branch forks limit verbosity extra_vars job_tags skip_tags timeout
       use_fact_cache become_enabled diff_mode allow_simultaneous survey_enabled created modified created_by_id`,
      questions,
    ),
  },
  core_projects: {
    says: 'templates of the kind project, with the end of their last good update',
    query: `${columns(
      'templates',
      'id name description organization_id status scm_type scm_branch scm_revision created modified',
      lastSynced,
    )} where t.kind = 'project'`,
  },
  core_credentials: {
    says: 'credentials without what is in them',
    query: `${columns(
      'credentials',
      'id name description organization_id user_id credential_type_id managed created modified',
      'coalesce(y.namespace, y.kind) as kind',
    )} join credential_types y on y.id = t.credential_type_id`,
  },
  core_labels: { says: 'labels', query: columns('labels', 'id name organization_id created modified') },
  core_template_labels: { says: 'labels of templates', query: columns('template_labels', 'template_id label_id') },
  core_template_credentials: {
    says: 'credentials of templates',
    query: columns('template_credentials', 'template_id credential_id'),
  },
};

const runs: Record<string, View> = {
  core_runs: {
    says: 'runs of every kind, but for those that are not decided about yet',
    query: `${columns(
      'runs',
      `id kind name description template_id organization_id inventory_id project_id launch_type status status_seq
       created modified started finished canceled_on job_explanation timeout extra_vars actor_id authority_id created_by_id
       origin parent_id job_type playbook scm_branch scm_revision limit job_tags skip_tags forks verbosity use_fact_cache
       become_enabled diff_mode artifacts host_status_counts`,
    )} where t.status <> 'new'`,
  },
  core_run_labels: { says: 'labels of runs', query: columns('run_labels', 'run_id label_id') },
  core_run_credentials: { says: 'credentials of runs', query: columns('run_credentials', 'run_id credential_id') },
  core_host_summaries: {
    says: 'how runs ended on each host',
    query: columns(
      'job_host_summaries',
      `id run_id host_id host_name ok changed failures dark skipped ignored rescued processed failed created modified`,
    ),
  },
};

const views = { ...people, ...inventory, ...templates, ...runs };

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function refuse_write_to_view() returns trigger language plpgsql as $$
      begin
        raise exception '% is for reading only: write by the API, or to tables of the plugin', tg_table_name;
      end $$`);
  for (const [name, { says, query }] of Object.entries(views))
    await knex.raw(`
      create view ${name} as ${query};
      comment on view ${name} is 'For plugins: ${says}.';
      create trigger ${name}_read_only instead of insert or update or delete on ${name}
        for each row execute function refuse_write_to_view();
    `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop view ${Object.keys(views).join(', ')}; drop function refuse_write_to_view;`);
}
