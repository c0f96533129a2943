import type { Knex } from 'knex';

/**
 * Names for the same grants: a definition stands for roles of a kind of record, an assignment for whoever was given them. What
 * managed definitions stand for is the grant itself; assignments of others are kept, and say that their grants follow from them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create sequence role_assignment_ids as bigint;
    alter table role_users
      add column id bigint not null default nextval('role_assignment_ids'),
      add column assigned boolean not null default false,
      add column created timestamptz not null default now(),
      add column created_by_id bigint references users on delete set null;
    alter table role_teams
      add column id bigint not null default nextval('role_assignment_ids'),
      add column assigned boolean not null default false,
      add column created timestamptz not null default now(),
      add column created_by_id bigint references users on delete set null;
    create unique index role_users_id on role_users (id);
    create unique index role_teams_id on role_teams (id);

    create table role_definitions (
      id             bigint generated always as identity primary key,
      name           text not null constraint role_definitions_name unique,
      description    text not null default '',
      managed        boolean not null default false,
      -- as it was written, and without its prefix
      content_type   text,
      record_type    text,
      permissions    jsonb not null default '[]',
      -- roles of the record that together give these permissions and no others
      role_fields    text[] not null,
      created        timestamptz not null default now(),
      modified       timestamptz not null default now(),
      created_by_id  bigint references users on delete set null,
      modified_by_id bigint references users on delete set null
    );
    create unique index role_definitions_managed on role_definitions (record_type, (role_fields[1])) nulls not distinct where managed;

    create table role_assignments (
      id                 bigint primary key default nextval('role_assignment_ids'),
      role_definition_id bigint not null references role_definitions on delete cascade,
      -- the reading role of the record: it comes and goes with it
      role_id            bigint not null references roles on delete cascade,
      user_id            bigint references users on delete cascade,
      team_id            bigint references teams on delete cascade,
      created            timestamptz not null default now(),
      created_by_id      bigint references users on delete set null,
      check (num_nonnulls(user_id, team_id) = 1),
      constraint role_assignments_once unique nulls not distinct (role_definition_id, role_id, user_id, team_id)
    );
    create index role_assignments_role on role_assignments (role_id);
    create index role_assignments_user on role_assignments (user_id) where user_id is not null;
    create index role_assignments_team on role_assignments (team_id) where team_id is not null;

    create view role_user_assignments as
      select g.id, d.id as role_definition_id, g.role_id, r.content_type as record_type, r.object_id as record_id, g.user_id, g.created, g.created_by_id
      from role_users g join roles r on r.id = g.role_id
      join role_definitions d on d.managed and d.record_type is not distinct from r.content_type and d.role_fields[1] = r.role_field
      where not g.assigned
      union all
      select a.id, a.role_definition_id, a.role_id, r.content_type, r.object_id, a.user_id, a.created, a.created_by_id
      from role_assignments a join roles r on r.id = a.role_id where a.user_id is not null;

    create view role_team_assignments as
      select g.id, d.id as role_definition_id, g.role_id, r.content_type as record_type, r.object_id as record_id, g.team_id, g.created, g.created_by_id
      from role_teams g join roles r on r.id = g.role_id
      join role_definitions d on d.managed and d.record_type = r.content_type and d.role_fields[1] = r.role_field
      where not g.assigned and not g.for_admins
      union all
      select a.id, a.role_definition_id, a.role_id, r.content_type, r.object_id, a.team_id, a.created, a.created_by_id
      from role_assignments a join roles r on r.id = a.role_id where a.team_id is not null;

    ${['user', 'team'].map(endings).join('')}
  `);
}

/** An assignment whose role was taken away by another path is none any more: what is left of it stands for itself. */
const endings = (holder: string) => `
    create function end_${holder}_assignments() returns trigger language plpgsql as $$
    begin
      if not exists (select from role_assignments) then return null; end if;
      with ended as (
        delete from role_assignments a using gone g, roles r, roles own, role_definitions d
        where a.${holder}_id = g.${holder}_id and r.id = g.role_id and own.id = a.role_id
          and own.content_type = r.content_type and own.object_id = r.object_id
          and d.id = a.role_definition_id and r.role_field = any (d.role_fields)
        returning a.${holder}_id, own.content_type, own.object_id
      )
      update role_${holder}s u set assigned = false
      from ended e join roles r on r.content_type = e.content_type and r.object_id = e.object_id
      where u.${holder}_id = e.${holder}_id and u.role_id = r.id and u.assigned;
      return null;
    end $$;
    create trigger role_${holder}s_assignments after delete on role_${holder}s referencing old table as gone
      for each statement execute function end_${holder}_assignments();`;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop view role_user_assignments, role_team_assignments;
    drop trigger role_users_assignments on role_users;
    drop trigger role_teams_assignments on role_teams;
    drop function end_user_assignments, end_team_assignments;
    drop table role_assignments, role_definitions;
    alter table role_users drop column id, drop column assigned, drop column created, drop column created_by_id;
    alter table role_teams drop column id, drop column assigned, drop column created, drop column created_by_id;
    drop sequence role_assignment_ids;
  `);
}
