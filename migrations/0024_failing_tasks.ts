import type { Knex } from 'knex';

/** Tasks of plugins whose latest tries failed; a success takes its row away. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table failing_tasks (
      -- <plugin>:<task>, or <plugin>:hook:<tap>
      task     text primary key,
      plugin   text not null,
      -- in a row, on all nodes
      failures integer not null,
      -- one of them was the last try of its task
      given_up boolean not null,
      since    timestamptz not null,
      latest   timestamptz not null,
      error    text not null
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table failing_tasks');
}
