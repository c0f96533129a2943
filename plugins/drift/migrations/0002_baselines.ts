import type { Knex } from '@tapline/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  for (const [what, core] of [
    ['host', 'hosts'],
    ['group', 'groups'],
  ] as const)
    // one after the other: they are statements of one transaction
    // oxlint-disable-next-line no-await-in-loop
    await knex.schema.createTable(`${what}_baselines`, (table) => {
      table.bigInteger(`${what}_id`).primary().references(`${core}.id`).onDelete('cascade');
      table.bigInteger('drift_baseline_id').index().references('snapshots.id').onDelete('set null');
    });
}
