import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table credential_input_sources (
      id                   bigint generated always as identity primary key,
      description          text not null default '',
      input_field_name     text not null,
      metadata             jsonb not null default '{}',
      target_credential_id bigint not null references credentials on delete cascade,
      source_credential_id bigint not null references credentials on delete cascade,
      created              timestamptz not null default now(),
      modified             timestamptz not null default now(),
      created_by_id        bigint references users on delete set null,
      modified_by_id       bigint references users on delete set null,
      constraint credential_input_sources_target_field unique (target_credential_id, input_field_name)
    );
    create index credential_input_sources_source on credential_input_sources (source_credential_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table credential_input_sources');
}
