import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table sessions (
      id          bigint generated always as identity primary key,
      -- SHA-256 of the cookie's value: who reads this table cannot become anybody
      secret_hash bytea not null unique,
      user_id     bigint not null references users on delete cascade,
      assurance   text not null default 'password' check (assurance in ('password', 'passkey')),
      ip          text not null default '',
      user_agent  text not null default '',
      created     timestamptz not null default now(),
      last_seen   timestamptz not null default now(),
      expires     timestamptz not null
    );
    create index sessions_user on sessions (user_id);
    create index sessions_expires on sessions (expires);

    -- Here and not in the service, so that it holds for whoever changes a user: the API, a command, an operator.
    -- The session that asked for its own user's new password names itself in tapline.session and stays.
    create function end_sessions_of_user() returns trigger language plpgsql as $$
    begin
      delete from sessions where user_id = new.id
        and (not new.is_active or id is distinct from nullif(current_setting('tapline.session', true), '')::bigint);
      return null;
    end $$;
    create trigger users_end_sessions after update on users for each row
      when (new.password is distinct from old.password or (old.is_active and not new.is_active))
      execute function end_sessions_of_user();

    create table applications (
      id                       bigint generated always as identity primary key,
      name                     text not null default '',
      description              text not null default '',
      client_id                text not null unique,
      -- SHA-256; null for public clients, which have none
      client_secret_hash       bytea,
      client_type              text not null check (client_type in ('confidential', 'public')),
      redirect_uris            text not null default '',
      authorization_grant_type text not null check (authorization_grant_type in ('authorization-code', 'password')),
      skip_authorization       boolean not null default false,
      organization_id          bigint not null references organizations on delete cascade,
      created                  timestamptz not null default now(),
      modified                 timestamptz not null default now(),
      created_by_id            bigint references users on delete set null,
      modified_by_id           bigint references users on delete set null,
      constraint applications_name_key unique (organization_id, name)
    );

    alter table tokens add column application_id bigint references applications on delete cascade;
    create index tokens_application on tokens (application_id) where application_id is not null;

    -- One access token and all the refresh tokens that renewed it: a used one that comes again ends them together.
    create table oauth_refresh_tokens (
      id         bigint generated always as identity primary key,
      token_hash bytea not null unique,
      token_id   bigint not null references tokens on delete cascade,
      created    timestamptz not null default now(),
      expires    timestamptz not null,
      used       timestamptz
    );
    create index oauth_refresh_tokens_token on oauth_refresh_tokens (token_id);

    create table oauth_codes (
      code_hash      bytea primary key,
      application_id bigint not null references applications on delete cascade,
      user_id        bigint not null references users on delete cascade,
      -- as the authorization request named it, which the token request must repeat
      redirect_uri   text,
      scope          text not null,
      code_challenge text,
      created        timestamptz not null default now(),
      expires        timestamptz not null,
      used           timestamptz,
      -- what it was exchanged for: a code that comes again ends that token
      token_id       bigint references tokens on delete set null
    );
    create index oauth_codes_expires on oauth_codes (expires);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table oauth_codes, oauth_refresh_tokens;
    alter table tokens drop column application_id;
    drop table applications;
    drop trigger users_end_sessions on users;
    drop function end_sessions_of_user();
    drop table sessions;
  `);
}
