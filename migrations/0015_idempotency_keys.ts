import type { Knex } from 'knex';

/** Launches that a client may send twice: what became of the first one, kept for a day. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table idempotency_keys (
      user_id     bigint not null references users on delete cascade,
      -- the key itself is not kept: it also keys the fingerprint, which could else be used to guess passwords in the body
      key_hash    bytea not null,
      -- of method, path and body
      fingerprint bytea not null,
      -- who works on it, and when that one was last heard of
      attempt     uuid not null,
      alive       timestamptz not null default now(),
      -- no reference: it still tells that the launch happened when the run is gone
      run_id      bigint,
      extra       jsonb,
      status      smallint,
      headers     jsonb,
      body        text,
      created     timestamptz not null default now(),
      primary key (user_id, key_hash)
    );
    create index idempotency_keys_created on idempotency_keys (created);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table idempotency_keys');
}
