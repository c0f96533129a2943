import type { Knex } from 'knex';

/** Launches of plugins that are to happen once: the text that stands for each, and the run that it became. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table launch_marks (
      plugin text not null,
      mark text not null,
      -- one that is given up before it was decided frees its mark
      run_id bigint not null references runs on delete cascade,
      primary key (plugin, mark)
    );
    create index launch_marks_run on launch_marks (run_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table launch_marks');
}
