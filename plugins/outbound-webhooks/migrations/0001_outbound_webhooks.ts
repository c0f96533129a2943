import type { Knex } from '@tapline/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await createWebhooks(knex);
  await createDeliveries(knex);
  await knex.raw(`
    create unique index outbound_webhook_deliveries_once on outbound_webhook_deliveries (outbound_webhook_id, run_id, seq) where redelivery_of_id is null;
    create index outbound_webhook_deliveries_due on outbound_webhook_deliveries (outbound_webhook_id, next_attempt) where finished is null;
  `);
}

async function createWebhooks(knex: Knex): Promise<void> {
  await knex.schema.createTable('outbound_webhooks', (table) => {
    table.bigIncrements('id');
    table.text('name').notNullable();
    table.text('description').notNullable().defaultTo('');
    table.bigInteger('organization_id').notNullable().references('organizations.id').onDelete('cascade');
    table.text('url').notNullable();
    table.text('webhook_key').notNullable().defaultTo('');
    table.text('former_key').notNullable().defaultTo('');
    table.timestamp('former_key_until');
    table.jsonb('events').notNullable();
    table.jsonb('custom_headers').notNullable().defaultTo('{}');
    table.text('header_values').notNullable().defaultTo('');
    table.boolean('enabled').notNullable().defaultTo(true);
    table.boolean('ssl_verify').notNullable().defaultTo(true);
    table.bigInteger('notification_template_id').index().references('notification_templates.id').onDelete('set null');
    // since then nothing was delivered
    table.timestamp('failing_since');
    table.text('disabled_reason').notNullable().defaultTo('');
    table.timestamp('created').notNullable().defaultTo(knex.fn.now());
    table.timestamp('modified').notNullable().defaultTo(knex.fn.now());
    table.bigInteger('created_by_id').index().references('users.id').onDelete('set null');
    table.bigInteger('modified_by_id').index().references('users.id').onDelete('set null');
    table.unique(['organization_id', 'name'], { indexName: 'outbound_webhooks_name' });
  });
}

async function createDeliveries(knex: Knex): Promise<void> {
  await knex.schema.createTable('outbound_webhook_deliveries', (table) => {
    table.bigIncrements('id');
    table.bigInteger('outbound_webhook_id').notNullable().references('outbound_webhooks.id').onDelete('cascade');
    table.bigInteger('organization_id').notNullable();
    // `webhook-id`: the same at every try, and when it is delivered again
    table.text('message_id').notNullable();
    table.text('event').notNullable();
    table.bigInteger('run_id').notNullable();
    table.integer('seq').notNullable();
    // what is signed, byte by byte
    table.text('body').notNullable();
    table.text('status').notNullable().defaultTo('pending');
    table.integer('attempt').notNullable().defaultTo(0);
    table.jsonb('attempts').notNullable().defaultTo('[]');
    table.jsonb('request').notNullable().defaultTo('{}');
    table.integer('status_code');
    table.integer('duration_ms');
    table.text('error').notNullable().defaultTo('');
    table.timestamp('next_attempt').defaultTo(knex.fn.now());
    // somebody is at it until then, or has died
    table.timestamp('leased_until');
    table.bigInteger('redelivery_of_id').index().references('outbound_webhook_deliveries.id').onDelete('set null');
    table.timestamp('created').notNullable().defaultTo(knex.fn.now());
    table.timestamp('finished');
    table.index(['outbound_webhook_id', 'id']);
    table.index(['organization_id', 'id']);
    table.index(['created']);
  });
}
