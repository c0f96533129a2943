import type { Knex } from 'knex';

const audit = `
      created        timestamptz not null default now(),
      modified       timestamptz not null default now(),
      created_by_id  bigint references users on delete set null,
      modified_by_id bigint references users on delete set null`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table inventories (
      id               bigint generated always as identity primary key,
      name             text not null,
      description      text not null default '',
      organization_id  bigint references organizations on delete set null,
      kind             text not null default '',
      host_filter      text,
      variables        text not null default '',
      pending_deletion boolean not null default false,
      prevent_instance_group_fallback boolean not null default false,
      ${audit},
      constraint inventories_name_organization unique nulls not distinct (name, organization_id)
    );

    create table hosts (
      id              bigint generated always as identity primary key,
      name            text not null,
      description     text not null default '',
      inventory_id    bigint not null references inventories on delete cascade,
      enabled         boolean not null default true,
      instance_id     text not null default '',
      variables       text not null default '',
      -- both are filled by the run that touched the host last; no foreign key, since runs are
      -- deleted in bulk and these are pruned with the summaries
      last_job_id     bigint,
      last_job_host_summary_id bigint,
      ${audit},
      constraint hosts_name_inventory unique (inventory_id, name)
    );
    create index hosts_name on hosts (name);

    create table groups (
      id             bigint generated always as identity primary key,
      name           text not null,
      description    text not null default '',
      inventory_id   bigint not null references inventories on delete cascade,
      variables      text not null default '',
      ${audit},
      constraint groups_name_inventory unique (inventory_id, name)
    );

    create table group_hosts (
      group_id bigint not null references groups on delete cascade,
      host_id  bigint not null references hosts on delete cascade,
      primary key (group_id, host_id)
    );
    create index group_hosts_host on group_hosts (host_id);

    create table group_children (
      parent_id bigint not null references groups on delete cascade,
      child_id  bigint not null references groups on delete cascade,
      primary key (parent_id, child_id),
      check (parent_id <> child_id)
    );
    create index group_children_child on group_children (child_id);

    -- Facts are immutable documents addressed by the SHA-256 of their canonical JSON:
    -- a host whose facts did not change costs no new row.
    create table facts (
      hash     text primary key,
      document jsonb not null,
      created  timestamptz not null default now()
    );
    create table host_facts (
      host_id  bigint primary key references hosts on delete cascade,
      hash     text not null references facts,
      run_id   bigint,
      modified timestamptz not null default now()
    );
    create index host_facts_hash on host_facts (hash);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table host_facts, facts, group_children, group_hosts, groups, hosts, inventories');
}
