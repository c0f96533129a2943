import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table credential_types (
      id             bigint generated always as identity primary key,
      name           text not null,
      description    text not null default '',
      kind           text not null,
      namespace      text unique,
      managed        boolean not null default false,
      inputs         jsonb not null default '{}',
      injectors      jsonb not null default '{}',
      created        timestamptz not null default now(),
      modified       timestamptz not null default now(),
      created_by_id  bigint references users on delete set null,
      modified_by_id bigint references users on delete set null,
      constraint credential_types_name_kind unique (name, kind)
    );

    create table credentials (
      id                 bigint generated always as identity primary key,
      name               text not null,
      description        text not null default '',
      organization_id    bigint references organizations on delete cascade,
      user_id            bigint references users on delete cascade,
      credential_type_id bigint not null references credential_types,
      managed            boolean not null default false,
      -- secret values inside are ciphertexts of core/secrets, everything else is plain
      inputs             jsonb not null default '{}',
      created            timestamptz not null default now(),
      modified           timestamptz not null default now(),
      created_by_id      bigint references users on delete set null,
      modified_by_id     bigint references users on delete set null,
      constraint credentials_name_organization_type
        unique nulls not distinct (name, organization_id, credential_type_id, user_id)
    );
    create index credentials_organization on credentials (organization_id);
    create index credentials_type on credentials (credential_type_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table credentials, credential_types');
}
