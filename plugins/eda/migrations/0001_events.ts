import type { Knex } from '@tapline/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await createRules(knex);
  await createPayloads(knex);
  await createLogs(knex);
  await knex.raw(`
    create index event_logs_unfinished on event_logs (created) where finished is null;
    create index event_logs_authority on event_logs (authority_id) where authority_id is not null;
    create index event_logs_dedup on event_logs (created) where dedup_guid is not null;
  `);
}

async function createRules(knex: Knex): Promise<void> {
  await knex.schema.createTable('event_rules', (table) => {
    table.bigIncrements('id');
    table.text('name').notNullable();
    table.text('description').notNullable().defaultTo('');
    table.bigInteger('organization_id').notNullable().references('organizations.id').onDelete('cascade');
    table.boolean('enabled').notNullable().defaultTo(true);
    table.text('source_type').notNullable();
    table.text('webhook_path').notNullable();
    table.text('webhook_key').notNullable().defaultTo('');
    table.text('former_key').notNullable().defaultTo('');
    table.timestamp('former_key_until');
    table.jsonb('conditions').notNullable().defaultTo('[]');
    table.jsonb('actions').notNullable().defaultTo('[]');
    table.bigInteger('actions_by_id').index().references('users.id').onDelete('set null');
    table.integer('throttle_seconds').notNullable().defaultTo(0);
    table.text('group_by').notNullable().defaultTo('');
    table.text('duplicate_response').notNullable().defaultTo('');
    table.timestamp('last_fired_at');
    table.bigInteger('fire_count').notNullable().defaultTo(0);
    table.timestamp('created').notNullable().defaultTo(knex.fn.now());
    table.timestamp('modified').notNullable().defaultTo(knex.fn.now());
    table.bigInteger('created_by_id').index().references('users.id').onDelete('set null');
    table.bigInteger('modified_by_id').index().references('users.id').onDelete('set null');
    table.unique(['organization_id', 'name'], { indexName: 'event_rules_name' });
    table.unique(['webhook_path'], { indexName: 'event_rules_path' });
  });
}

async function createPayloads(knex: Knex): Promise<void> {
  // one interval for each value of `group_by`
  await knex.schema.createTable('throttle_groups', (table) => {
    table.bigInteger('event_rule_id').notNullable().references('event_rules.id').onDelete('cascade');
    table.text('value').notNullable();
    table.timestamp('last_fired_at').notNullable().index();
    table.primary(['event_rule_id', 'value']);
  });
  // once for an event and all its replays; the text as it came, which jsonb would change
  await knex.schema.createTable('payloads', (table) => {
    table.bigIncrements('id');
    table.specificType('body', 'json').notNullable();
    table.integer('bytes').notNullable();
    table.boolean('truncated').notNullable().defaultTo(false);
  });
}

async function createLogs(knex: Knex): Promise<void> {
  await knex.schema.createTable('event_logs', (table) => {
    table.bigIncrements('id');
    table.bigInteger('event_rule_id').references('event_rules.id').onDelete('set null');
    table.text('event_rule_name').notNullable();
    table.bigInteger('organization_id').references('organizations.id').onDelete('set null');
    table.text('source_type').notNullable();
    table.text('source_ip').notNullable();
    table.text('event_type').notNullable();
    table.text('event_guid').notNullable();
    // what the sender called it, as long as it must not come again
    table.text('dedup_guid');
    table.integer('duplicates').notNullable().defaultTo(0);
    table.bigInteger('payload_id').index().references('payloads.id').onDelete('set null');
    table.jsonb('headers').notNullable().defaultTo('{}');
    table.boolean('conditions_matched').notNullable().defaultTo(false);
    table.jsonb('condition_results').notNullable().defaultTo('[]');
    table.jsonb('actions_triggered').notNullable().defaultTo('[]');
    // what was to be done when it matched, and with whose rights: the rule may change before it is done
    table.jsonb('plan');
    table.bigInteger('authority_id').references('users.id').onDelete('set null');
    table.text('status').notNullable();
    table.text('error').notNullable().defaultTo('');
    table.bigInteger('job_id');
    table.bigInteger('replay_of_id').index().references('event_logs.id').onDelete('set null');
    table.integer('sweeps').notNullable().defaultTo(0);
    table.timestamp('created').notNullable().defaultTo(knex.fn.now());
    table.timestamp('finished');
    table.unique(['event_rule_id', 'dedup_guid'], { indexName: 'event_logs_guid' });
    table.index(['event_rule_id', 'id']);
    table.index(['organization_id', 'id']);
    table.index(['status', 'id']);
    table.index(['created']);
  });
}
