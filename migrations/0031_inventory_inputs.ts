import type { Knex } from 'knex';

/** The inventories that a constructed or federated one is made of, in their order: that fills itself. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table inventory_inputs (
      inventory_id bigint not null references inventories on delete cascade,
      input_id     bigint not null references inventories on delete cascade,
      position     bigint generated always as identity,
      primary key (inventory_id, input_id)
    );
    create index inventory_inputs_input on inventory_inputs (input_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table inventory_inputs');
}
