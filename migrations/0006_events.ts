import type { Knex } from 'knex';

/**
 * Events are partitioned by ranges of run id, so that old runs leave by dropping a table.
 * The public id is run_id * 2^24 + counter (decisions §9): it names the partition by itself,
 * and storing an event twice is a key conflict, never a second row.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table run_events (
      run_id      bigint not null,
      counter     integer not null,
      event       text not null,
      event_level smallint not null default 0,
      event_data  jsonb not null default '{}',
      failed      boolean not null default false,
      changed     boolean not null default false,
      uuid        text not null default '',
      parent_uuid text not null default '',
      host_id     bigint,
      host_name   text not null default '',
      playbook    text not null default '',
      play        text not null default '',
      task        text not null default '',
      role        text not null default '',
      -- the text without its final newline; open_line marks the rare text that had none
      stdout      text not null default '',
      open_line   boolean not null default false,
      start_line  integer not null default 0,
      end_line    integer not null default 0,
      verbosity   smallint not null default 0,
      created     timestamptz not null default now(),
      modified    timestamptz not null default now(),
      primary key (run_id, counter)
    ) partition by range (run_id);
    create index run_events_parent on run_events (run_id, parent_uuid);
    create index run_events_host on run_events (host_id, run_id) where host_id is not null;

    create function event_partition_size() returns bigint language sql immutable as 'select 10000::bigint';

    -- Makes the partition that holds a run's events and says its name; cheap when it is there already.
    -- Made apart and then attached: creating it in place would lock out every reader of events.
    create function ensure_event_partition(run bigint) returns text language plpgsql as $$
    declare
      size  constant bigint := event_partition_size();
      low   bigint := (run / size) * size;
      child text := 'run_events_' || low;
    begin
      if to_regclass(child) is not null then return child; end if;
      perform pg_advisory_xact_lock(hashtext('run_events partition'));
      -- asked of the table itself: the lookup above may have been remembered from before the lock
      perform from pg_class where relname = child and relnamespace = current_schema()::regnamespace;
      if found then return child; end if;
      execute format('create table %I (like run_events including defaults including constraints including indexes)', child);
      execute format('alter table run_events attach partition %I for values from (%s) to (%s)', child, low, low + size);
      return child;
    end $$;

    create table job_host_summaries (
      id        bigint generated always as identity primary key,
      run_id    bigint not null references runs on delete cascade,
      host_id   bigint references hosts on delete set null,
      host_name text not null,
      ok        integer not null default 0,
      changed   integer not null default 0,
      failures  integer not null default 0,
      dark      integer not null default 0,
      skipped   integer not null default 0,
      ignored   integer not null default 0,
      rescued   integer not null default 0,
      processed integer not null default 0,
      failed    boolean not null default false,
      created   timestamptz not null default now(),
      modified  timestamptz not null default now(),
      constraint job_host_summaries_host unique (run_id, host_name)
    );
    create index job_host_summaries_of_host on job_host_summaries (host_id, id);

    -- what the facts were before the run that stored them: the pair survives a restart between storing and reporting
    alter table host_facts add column previous_hash text;
    create index host_facts_run on host_facts (run_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index host_facts_run;
    alter table host_facts drop column previous_hash;
    drop table job_host_summaries, run_events;
    drop function ensure_event_partition, event_partition_size;
  `);
}
