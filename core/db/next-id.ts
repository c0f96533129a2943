import type { Knex } from 'knex';

/** The id of a row to come: ciphertexts are bound to the row in which they stand. */
export async function nextId(trx: Knex, table: string): Promise<number> {
  const { rows } = await trx.raw(`select nextval(pg_get_serial_sequence(?, 'id')) as id`, [table]);
  return Number(rows[0].id);
}
