import type { Knex } from 'knex';

/** Images of containers in which the engine may run, and who names one. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table execution_environments (
      id              bigint generated always as identity primary key,
      name            text not null constraint execution_environments_name unique,
      description     text not null default '',
      image           text not null,
      -- null: everybody's
      organization_id bigint references organizations on delete cascade,
      credential_id   bigint references credentials on delete set null,
      pull            text not null default '' check (pull in ('', 'always', 'missing', 'never')),
      managed         boolean not null default false,
      created         timestamptz not null default now(),
      modified        timestamptz not null default now(),
      created_by_id   bigint references users on delete set null,
      modified_by_id  bigint references users on delete set null
    );
    create index execution_environments_organization on execution_environments (organization_id);
    create index execution_environments_credential on execution_environments (credential_id) where credential_id is not null;

    alter table templates
      add column execution_environment_id bigint references execution_environments on delete set null,
      -- of a project: for the jobs that name none
      add column default_environment_id bigint references execution_environments on delete set null;
    alter table organizations add column default_environment_id bigint references execution_environments on delete set null;
    alter table runs add column execution_environment_id bigint references execution_environments on delete set null;
    create index templates_environment on templates (execution_environment_id) where execution_environment_id is not null;
    create index templates_default_environment on templates (default_environment_id) where default_environment_id is not null;
    create index organizations_environment on organizations (default_environment_id) where default_environment_id is not null;
    create index runs_environment on runs (execution_environment_id) where execution_environment_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table runs drop column execution_environment_id;
    alter table organizations drop column default_environment_id;
    alter table templates drop column execution_environment_id, drop column default_environment_id;
    drop table execution_environments;
  `);
}
