import type { Knex } from 'knex';

/** What webhooks launch: the key that they are signed with, encrypted, and the token with which their sender is told how it went. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table templates
      add column webhook_key text not null default '',
      add column webhook_ref_filter text not null default '',
      add column webhook_credential_id bigint references credentials on delete set null;
    create index templates_webhook_credential on templates (webhook_credential_id) where webhook_credential_id is not null;
    alter table runs add column webhook_credential_id bigint references credentials on delete set null;
    create index runs_webhook_credential on runs (webhook_credential_id) where webhook_credential_id is not null;
    create index runs_webhook_guid on runs (template_id, webhook_guid) where webhook_guid <> '';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table runs drop column webhook_credential_id;
    drop index runs_webhook_guid;
    alter table templates drop column webhook_key, drop column webhook_ref_filter, drop column webhook_credential_id;
  `);
}
