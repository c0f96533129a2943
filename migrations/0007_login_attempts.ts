import type { Knex } from 'knex';

/**
 * Failed logins, counted together by all nodes; the columns are those of rate-limiter-flexible.
 * Unlogged: losing it in a crash costs one minute's count.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create unlogged table login_attempts (
      key    varchar(255) primary key,
      points integer not null default 0,
      expire bigint
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table login_attempts');
}
