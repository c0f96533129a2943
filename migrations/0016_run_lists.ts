import type { Knex } from 'knex';

/**
 * A page and a count of a million runs must not touch the wide rows themselves: what decides whether a caller sees a run
 * (kind, template, organization, status) lies in the indexes. The narrow two hold equal keys once and stay small, so
 * that counting a tenth of a million runs reads a few hundred pages.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index runs_listed on runs (kind, id) include (template_id, organization_id, status);
    create index runs_of_template on runs (template_id, kind, status);
    create index runs_of_organization on runs (organization_id, kind, template_id, status);
    drop index runs_kind, runs_organization_id;

    -- index-only scans live on the visibility map, and estimates on fresh statistics
    alter table runs set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table runs reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor, autovacuum_analyze_scale_factor);
    create index runs_kind on runs (kind, id);
    create index runs_organization_id on runs (organization_id, id);
    drop index runs_listed, runs_of_template, runs_of_organization;
  `);
}
