import type { Knex } from 'knex';

/**
 * What is stored and what is not (README, decision "Roles are stored, implications are not"):
 *
 * - Every record owns one row in `roles` per role field of its kind; triggers see to it, so no writer can forget, and a
 *   cascade takes the roles along.
 * - Which role gives which is a fixed table over kinds (core/rbac/definitions.ts) and the organization a row names. It is
 *   never expanded per record: a grant on an organization with any number of objects is one row, and moving an
 *   object to another organization moves its implied access with it.
 * - What has to be followed step by step, who is in which team (through administration of the team or its organization, or
 *   through another team), is precomputed in `team_users` and kept up to date by the triggers below.
 *
 * So a list asks `held_ids`, two index lookups, and no grant costs more than the number of people it puts into a team.
 */
const audit = `
      created        timestamptz not null default now(),
      modified       timestamptz not null default now(),
      created_by_id  bigint references users on delete set null,
      modified_by_id bigint references users on delete set null`;

const records = `
    create table teams (
      id              bigint generated always as identity primary key,
      name            text not null,
      description     text not null default '',
      organization_id bigint not null references organizations on delete cascade,
      ${audit},
      constraint teams_name_organization unique (name, organization_id)
    );
    create index teams_organization on teams (organization_id);

    create table instance_groups (
      id                  bigint generated always as identity primary key,
      name                text not null constraint instance_groups_name unique,
      max_concurrent_jobs integer not null default 0,
      max_forks           integer not null default 0,
      is_container_group  boolean not null default false,
      credential_id       bigint references credentials on delete set null,
      policy_instance_percentage integer not null default 0,
      policy_instance_minimum    integer not null default 0,
      policy_instance_list       jsonb not null default '[]',
      pod_spec_override   text not null default '',
      ${audit}
    );
    create index instance_groups_credential on instance_groups (credential_id);

    create table instance_group_instances (
      -- lists keep the order in which instances were attached
      id                bigint generated always as identity,
      instance_group_id bigint not null references instance_groups on delete cascade,
      instance_id       bigint not null references instances on delete cascade,
      primary key (instance_group_id, instance_id)
    );
    create index instance_group_instances_instance on instance_group_instances (instance_id);

    create index inventories_organization on inventories (organization_id);
    create index templates_organization on templates (organization_id);`;

const tables = `
    -- the role fields of each kind of record, in the order in which they are shown
    create table role_fields (
      content_type text not null,
      role_field   text not null,
      position     integer not null,
      primary key (content_type, role_field)
    );
    insert into role_fields (content_type, role_field, position)
    select k.content_type, f.role_field, f.position
    from (values
      ('organization', '{admin_role,execute_role,project_admin_role,inventory_admin_role,credential_admin_role,workflow_admin_role,notification_admin_role,job_template_admin_role,execution_environment_admin_role,approval_role,auditor_role,member_role,read_role}'::text[]),
      ('team', '{admin_role,member_role,read_role}'),
      ('inventory', '{admin_role,update_role,adhoc_role,use_role,read_role}'),
      ('project', '{admin_role,use_role,update_role,read_role}'),
      ('credential', '{admin_role,use_role,read_role}'),
      ('job_template', '{admin_role,execute_role,read_role}'),
      ('workflow_job_template', '{admin_role,execute_role,approval_role,read_role}'),
      ('instance_group', '{admin_role,use_role,read_role}')
    ) as k (content_type, fields), unnest(k.fields) with ordinality as f (role_field, position);

    create table roles (
      id             bigint generated always as identity primary key,
      content_type   text,
      object_id      bigint,
      role_field     text not null,
      singleton_name text unique,
      constraint roles_object unique (content_type, object_id, role_field),
      check ((singleton_name is null) = (content_type is not null and object_id is not null))
    );
    insert into roles (role_field, singleton_name) values ('system_administrator', 'system_administrator'), ('system_auditor', 'system_auditor');

    create table role_users (
      role_id bigint not null references roles on delete cascade,
      user_id bigint not null references users on delete cascade,
      primary key (user_id, role_id)
    );
    create index role_users_role on role_users (role_id, user_id);

    create table role_teams (
      role_id    bigint not null references roles on delete cascade,
      team_id    bigint not null references teams on delete cascade,
      -- given to the team's admins alone, as the admin role of a credential made for the team is
      for_admins boolean not null default false,
      primary key (team_id, role_id, for_admins)
    );
    create index role_teams_role on role_teams (role_id, team_id);

    -- who is in which team by any path
    create table team_users (
      user_id  bigint not null references users on delete cascade,
      team_id  bigint not null references teams on delete cascade,
      is_admin boolean not null,
      primary key (user_id, team_id)
    );
    create index team_users_team on team_users (team_id, user_id);

    -- what a person was given, directly or with a team; what that implies is for core/rbac to say
    create view held_roles as
      select g.user_id, g.role_id, r.content_type, r.role_field, r.object_id, null::bigint as team_id
      from role_users g join roles r on r.id = g.role_id
      union all
      select m.user_id, g.role_id, r.content_type, r.role_field, r.object_id, g.team_id
      from team_users m join role_teams g on g.team_id = m.team_id and (m.is_admin or not g.for_admins) join roles r on r.id = g.role_id;

    -- the records of a kind on which a person was given one of these roles. A function for its plan, which the session keeps:
    -- every list asks this several times, and planning the view anew took longer than running it
    create function held_ids(person bigint, kind text, fields text[]) returns setof bigint language plpgsql stable parallel safe rows 50 as $$
    begin
      return query
        select r.object_id from role_users g join roles r on r.id = g.role_id
        where g.user_id = person and r.content_type = kind and r.role_field = any (fields)
        union all
        select r.object_id from team_users m join role_teams g on g.team_id = m.team_id and (m.is_admin or not g.for_admins) join roles r on r.id = g.role_id
        where m.user_id = person and r.content_type = kind and r.role_field = any (fields);
    end $$;

    create view direct_team_users as
      select g.user_id, r.object_id as team_id, r.role_field = 'admin_role' as is_admin
      from role_users g join roles r on r.id = g.role_id where r.content_type = 'team' and r.role_field in ('admin_role', 'member_role')
      union all
      select g.user_id, t.id, true
      from role_users g join roles r on r.id = g.role_id join teams t on t.organization_id = r.object_id
      where r.content_type = 'organization' and r.role_field = 'admin_role';`;

/** Roles come and go with their records; the two system-wide ones follow the flags of users. */
const ownership = `
    create function create_object_roles() returns trigger language plpgsql as $$
    begin
      insert into roles (content_type, object_id, role_field)
      select f.content_type, n.id, f.role_field from new_rows n join role_fields f on f.content_type = tg_argv[0] order by n.id, f.position;
      return null;
    end $$;
    create function delete_object_roles() returns trigger language plpgsql as $$
    begin
      delete from roles r using old_rows o where r.content_type = tg_argv[0] and r.object_id = o.id;
      return null;
    end $$;
    create function create_template_roles() returns trigger language plpgsql as $$
    begin
      insert into roles (content_type, object_id, role_field)
      select f.content_type, n.id, f.role_field from new_rows n join role_fields f on f.content_type = n.kind order by n.id, f.position;
      return null;
    end $$;
    create function delete_template_roles() returns trigger language plpgsql as $$
    begin
      delete from roles r using old_rows o where r.content_type = o.kind and r.object_id = o.id;
      return null;
    end $$;
    create trigger templates_roles_create after insert on templates referencing new table as new_rows for each statement execute function create_template_roles();
    create trigger templates_roles_delete after delete on templates referencing old table as old_rows for each statement execute function delete_template_roles();

    create function mirror_system_roles() returns trigger language plpgsql as $$
    begin
      insert into role_users (user_id, role_id)
      select new.id, r.id from roles r
      where (r.singleton_name = 'system_administrator' and new.is_superuser) or (r.singleton_name = 'system_auditor' and new.is_system_auditor)
      on conflict do nothing;
      delete from role_users g using roles r
      where g.role_id = r.id and g.user_id = new.id
        and ((r.singleton_name = 'system_administrator' and not new.is_superuser) or (r.singleton_name = 'system_auditor' and not new.is_system_auditor));
      return null;
    end $$;
    create trigger users_system_roles after insert or update of is_superuser, is_system_auditor on users for each row execute function mirror_system_roles();`;

const owners: Record<string, string> = {
  organizations: 'organization',
  teams: 'team',
  inventories: 'inventory',
  credentials: 'credential',
  instance_groups: 'instance_group',
};

const ownerTriggers = Object.entries(owners).map(
  ([table, type]) => `
    create trigger ${table}_roles_create after insert on ${table} referencing new table as new_rows for each statement execute function create_object_roles('${type}');
    create trigger ${table}_roles_delete after delete on ${table} referencing old table as old_rows for each statement execute function delete_object_roles('${type}');`,
);

/**
 * Changes of who is in which team wait for each other (one advisory lock, held to the end of the transaction): two that do
 * not see one another could each leave out what follows from both. Grants that touch no team's membership never take it.
 */
const membership = `
    create function lock_team_membership() returns void language sql as $$ select pg_advisory_xact_lock(7236010) $$;

    create function refresh_team_users(people bigint[]) returns void language plpgsql as $$
    begin
      with recursive reach as (
        select d.user_id, d.team_id, d.is_admin from direct_team_users d where d.user_id = any (people)
        union
        select w.user_id, r.object_id, r.role_field = 'admin_role'
        from reach w
        join role_teams g on g.team_id = w.team_id and (w.is_admin or not g.for_admins)
        join roles r on r.id = g.role_id and r.content_type = 'team' and r.role_field in ('admin_role', 'member_role')
      ),
      wanted as (select user_id, team_id, bool_or(is_admin) as is_admin from reach group by user_id, team_id),
      gone as (
        delete from team_users m where m.user_id = any (people)
          and not exists (select 1 from wanted w where w.user_id = m.user_id and w.team_id = m.team_id)
      )
      insert into team_users as m (user_id, team_id, is_admin) select user_id, team_id, is_admin from wanted
      on conflict (user_id, team_id) do update set is_admin = excluded.is_admin where m.is_admin <> excluded.is_admin;
    end $$;

    -- roles that put somebody into a team; a role that is gone went with its team, and so has its membership
    create view team_giving_roles as
      select id from roles
      where (content_type = 'team' and role_field in ('admin_role', 'member_role')) or (content_type = 'organization' and role_field = 'admin_role');

    create function role_users_changed() returns trigger language plpgsql as $$
    declare people bigint[];
    begin
      select array_agg(distinct c.user_id) into people from changed c where c.role_id in (select id from team_giving_roles);
      if people is null then return null; end if;
      perform lock_team_membership();
      perform refresh_team_users(people);
      return null;
    end $$;
    create trigger role_users_inserted after insert on role_users referencing new table as changed for each statement execute function role_users_changed();
    create trigger role_users_deleted after delete on role_users referencing old table as changed for each statement execute function role_users_changed();

    create function role_teams_changed() returns trigger language plpgsql as $$
    declare people bigint[];
    begin
      if not exists (select 1 from changed c where c.role_id in (select id from team_giving_roles)) then return null; end if;
      perform lock_team_membership();
      select array_agg(distinct m.user_id) into people from changed c join team_users m on m.team_id = c.team_id where c.role_id in (select id from team_giving_roles);
      if people is not null then perform refresh_team_users(people); end if;
      return null;
    end $$;
    create trigger role_teams_inserted after insert on role_teams referencing new table as changed for each statement execute function role_teams_changed();
    create trigger role_teams_deleted after delete on role_teams referencing old table as changed for each statement execute function role_teams_changed();`;

/** Teams that appear, move or go. */
const teamTriggers = `
    create function teams_created() returns trigger language plpgsql as $$
    begin
      perform lock_team_membership();
      insert into team_users (user_id, team_id, is_admin)
      select g.user_id, n.id, true from new_rows n
      join roles r on r.content_type = 'organization' and r.object_id = n.organization_id and r.role_field = 'admin_role'
      join role_users g on g.role_id = r.id
      on conflict do nothing;
      return null;
    end $$;
    create trigger teams_users_create after insert on teams referencing new table as new_rows for each statement execute function teams_created();

    create function team_moved() returns trigger language plpgsql as $$
    declare people bigint[];
    begin
      perform lock_team_membership();
      select array_agg(distinct g.user_id) into people from roles r join role_users g on g.role_id = r.id
      where r.content_type = 'organization' and r.role_field = 'admin_role' and r.object_id in (old.organization_id, new.organization_id);
      if people is not null then perform refresh_team_users(people); end if;
      return null;
    end $$;
    create trigger teams_users_move after update of organization_id on teams for each row
      when (old.organization_id is distinct from new.organization_id) execute function team_moved();

    -- before the cascades, while it is still known who was in the team and so in the teams it was a member of
    create function team_deleted() returns trigger language plpgsql as $$
    begin
      delete from role_teams where team_id = old.id and role_id in (select id from team_giving_roles);
      return old;
    end $$;
    create trigger teams_users_delete before delete on teams for each row execute function team_deleted();`;

const existing = `
    insert into roles (content_type, object_id, role_field)
    select f.content_type, o.id, f.role_field
    from (
      select 'organization' as kind, id from organizations union all select 'inventory', id from inventories
      union all select 'credential', id from credentials union all select kind, id from templates
    ) o join role_fields f on f.content_type = o.kind order by f.content_type, o.id, f.position;
    insert into role_users (user_id, role_id)
    select u.id, r.id from users u join roles r
      on (r.singleton_name = 'system_administrator' and u.is_superuser) or (r.singleton_name = 'system_auditor' and u.is_system_auditor);
    -- a credential without organization is its user's own
    insert into role_users (user_id, role_id)
    select c.user_id, r.id from credentials c
    join roles r on r.content_type = 'credential' and r.object_id = c.id and r.role_field = 'admin_role' where c.user_id is not null;`;

export async function up(knex: Knex): Promise<void> {
  for (const sql of [records, tables, ownership, ...ownerTriggers, membership, teamTriggers, existing])
    await knex.raw(sql.replaceAll('?', '\\?'));
}

export async function down(knex: Knex): Promise<void> {
  const triggers = [...Object.keys(owners), 'templates'].flatMap((table) => [
    `drop trigger ${table}_roles_create on ${table}`,
    `drop trigger ${table}_roles_delete on ${table}`,
  ]);
  await knex.raw(
    [
      ...triggers,
      'drop trigger users_system_roles on users',
      'drop view held_roles, direct_team_users, team_giving_roles',
      'drop table team_users, role_teams, role_users, roles, role_fields, instance_group_instances, instance_groups, teams',
      'drop function create_object_roles, delete_object_roles, create_template_roles, delete_template_roles, mirror_system_roles, lock_team_membership',
      'drop function held_ids, refresh_team_users, role_users_changed, role_teams_changed, teams_created, team_moved, team_deleted',
      'drop index inventories_organization, templates_organization',
    ].join('; '),
  );
}
