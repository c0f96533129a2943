import type { Knex } from 'knex';

/** By which key the content of a project is verified. A credential that is in use so is kept; one that goes with its organization is not. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table templates add column signature_validation_credential_id bigint references credentials on delete set null;
    create index templates_signature_validation_credential on templates (signature_validation_credential_id)
      where signature_validation_credential_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table templates drop column signature_validation_credential_id');
}
