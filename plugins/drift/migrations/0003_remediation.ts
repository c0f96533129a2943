import type { Knex } from '@tapline/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table alert_rules add column remediation_template_id bigint references templates on delete set null;
    create index alert_rules_remediation on alert_rules (remediation_template_id);
    -- what became of it stays when the run is deleted
    alter table detections
      add column remediation_job_id bigint references runs on delete set null,
      add column remediation_status text not null default '';
    create index detections_remediation on detections (remediation_job_id);
  `);
}
