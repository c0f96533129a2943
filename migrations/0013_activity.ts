import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table activity_stream (
      id                 bigint generated always as identity primary key,
      timestamp          timestamptz not null default now(),
      operation          text not null check (operation in ('create', 'update', 'delete', 'associate', 'disassociate')),
      actor_id           bigint references users on delete set null,
      -- the actor's names as they were: they outlive the user
      actor_names        jsonb,
      object1            text not null,
      object2            text not null default '',
      object_association text not null default '',
      object_type        text not null default '',
      changes            jsonb not null,
      organization_id    bigint references organizations on delete set null,
      action_node        text not null default ''
    );
    create index activity_stream_timestamp on activity_stream (timestamp);
    create index activity_stream_actor on activity_stream (actor_id);
    create index activity_stream_organization on activity_stream (organization_id);

    -- No key to the objects: an entry outlives what it tells of.
    create table activity_objects (
      activity_id bigint not null references activity_stream on delete cascade,
      type        text not null,
      object_id   bigint not null,
      summary     jsonb not null,
      primary key (type, object_id, activity_id)
    );
    create index activity_objects_activity on activity_objects (activity_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table activity_objects, activity_stream');
}
