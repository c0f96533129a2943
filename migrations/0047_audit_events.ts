import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- No keys to what it tells of: an event outlives its user, its organization and its object, and is never changed.
    create table audit_events (
      id              bigint generated always as identity primary key,
      created         timestamptz not null default now(),
      action          text not null,
      actor_id        bigint,
      actor_name      text not null default '',
      ip              text not null default '',
      request_id      text not null default '',
      node            text not null default '',
      organization_id bigint,
      object_type     text not null default '',
      object_id       bigint,
      object_name     text not null default '',
      before          jsonb,
      after           jsonb,
      details         jsonb
    );
    create index audit_events_object on audit_events (object_type, object_id, id);
    create index audit_events_organization on audit_events (organization_id, id) where organization_id is not null;
    create index audit_events_created on audit_events using brin (created);

    -- Events that are to be sealed yet.
    create table audit_unsealed (event_id bigint primary key);

    -- The chain: each hash is made of the one before and of its event.
    create table audit_seals (
      seq      bigint primary key,
      event_id bigint not null unique,
      hash     bytea not null
    );

    -- Where the chain begins since older events were removed.
    create table audit_checkpoints (
      seq     bigint primary key,
      hash    bytea not null,
      removed bigint not null,
      created timestamptz not null default now()
    );

    create function refuse_audit_change() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' and tg_table_name <> 'audit_checkpoints' and current_setting('tapline.audit_retention', true) = 'on' then
          return null;
        end if;
        raise exception 'the audit log is only added to: % of % is refused', lower(tg_op), tg_table_name using errcode = 'insufficient_privilege';
      end $$;
    create trigger audit_events_kept before update or delete or truncate on audit_events
      for each statement execute function refuse_audit_change();
    create trigger audit_seals_kept before update or delete or truncate on audit_seals
      for each statement execute function refuse_audit_change();
    create trigger audit_checkpoints_kept before update or delete or truncate on audit_checkpoints
      for each statement execute function refuse_audit_change();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table audit_checkpoints, audit_seals, audit_unsealed, audit_events;
    drop function refuse_audit_change;
  `);
}
