import type { Knex } from '@tapline/plugin-sdk';

/** Names of facts may be of any length, and a row of an index may not: 2.7 kB are the most. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table detections drop constraint detections_snapshot_after_id_fact_path_key;
    -- twice the backslash: to bytea it begins an escape
    create unique index detections_once on detections (snapshot_after_id, sha256(replace(fact_path, '\\', '\\\\')::bytea));
    alter table watched_hosts add column capture_error text not null default '';
  `);
}
