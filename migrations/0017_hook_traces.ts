import type { Knex } from 'knex';

/**
 * What every tap of a plugin did, for whoever asks what happened to a run. No foreign key: the traces of a
 * denied launch outlive its run, and writing them must never wait for anybody's lock.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table hook_traces (
      id bigint primary key generated always as identity,
      created timestamptz not null default now(),
      hook text not null,
      plugin text not null,
      tap text not null,
      run_id bigint,
      result text not null,
      milliseconds real not null,
      attempt integer not null,
      error text not null default '',
      node text not null
    );
    create index hook_traces_run on hook_traces (run_id, id);
    create index hook_traces_tap on hook_traces (plugin, tap, hook, id desc);
    create index hook_traces_created on hook_traces using brin (created)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table hook_traces');
}
