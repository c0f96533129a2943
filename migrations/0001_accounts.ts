import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table users (
      id                 bigint generated always as identity primary key,
      username           text not null unique,
      first_name         text not null default '',
      last_name          text not null default '',
      email              text not null default '',
      password           text not null default '',
      is_superuser       boolean not null default false,
      is_system_auditor  boolean not null default false,
      is_active          boolean not null default true,
      preferred_language text not null default '',
      -- true until the password that set-up generated has been changed
      initial_password   boolean not null default false,
      last_login         timestamptz,
      created            timestamptz not null default now(),
      modified           timestamptz not null default now()
    );

    create table organizations (
      id             bigint generated always as identity primary key,
      name           text not null unique,
      description    text not null default '',
      max_hosts      integer not null default 0,
      created        timestamptz not null default now(),
      modified       timestamptz not null default now(),
      created_by_id  bigint references users on delete set null,
      modified_by_id bigint references users on delete set null
    );

    create table tokens (
      id          bigint generated always as identity primary key,
      user_id     bigint not null references users on delete cascade,
      description text not null default '',
      -- SHA-256 of the token: it has 256 bits of entropy, so a slow hash would buy nothing
      token_hash  bytea not null unique,
      scope       text not null default 'write',
      expires     timestamptz not null,
      last_used   timestamptz,
      created     timestamptz not null default now(),
      modified    timestamptz not null default now()
    );
    create index tokens_user on tokens (user_id);

    create table service_state (
      key   text primary key,
      value jsonb not null
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table service_state, tokens, organizations, users');
}
