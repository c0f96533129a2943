import type { Knex } from 'knex';

/** The user whom an entry about logging in concerns: not always the one who acts, such as after a failed attempt. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table activity_stream add column subject_id bigint references users on delete set null;
    create index activity_stream_subject on activity_stream (subject_id) where subject_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table activity_stream drop column subject_id');
}
