import type { Knex } from 'knex';

let made = 0;
const fresh = (what: string) => `${what}-${++made}`;

const ruleBody = (organization: number | undefined) => ({
  name: fresh('rule'),
  organization,
  source_type: 'webhook_generic',
  webhook_path: fresh('path'),
  conditions: [{ jinja2_expression: 'event.a' }],
});

const webhookBody = (organization: number | undefined) => ({
  name: fresh('webhook'),
  organization,
  // refused before anything is sent
  url: 'http://127.0.0.1:9/',
  events: ['job.failed'],
});

/** A body for each write of events in and out. */
export const eventBodies = (ids: Record<string, number>): Record<string, () => unknown> => ({
  'POST /api/v2/event_rules/': () => ruleBody(ids['organization']),
  'POST /api/v2/event_rules/:id/test/': () => ({ payload: { a: 1 }, headers: {} }),
  'POST /api/v2/event_rules/test/': () => ({ organization: ids['organization'], payload: { a: 1 } }),
  'POST /api/v2/event_rules/backtest/': () => ({
    organization: ids['organization'],
    source_type: 'webhook_generic',
  }),
  'POST /api/v2/outbound_webhooks/': () => webhookBody(ids['organization']),
  ...Object.fromEntries(
    [
      ...['webhook_key', 'backtest', 'enable', 'disable'].map((action) => `event_rules/:id/${action}`),
      'event_logs/:id/replay',
      'event_logs/retry',
      ...['webhook_key', 'test'].map((action) => `outbound_webhooks/:id/${action}`),
      'outbound_webhook_deliveries/:id/redeliver',
    ].map((path) => [`POST /api/v2/${path}/`, () => ({})]),
  ),
});

/** A row of each type, in tables of the plugins that are on by default. */
export async function eventRows(db: Knex, organization: number, run: number): Promise<Record<string, { id: number }>> {
  const insert = async (table: string, row: object): Promise<{ id: number }> =>
    (await db(table).insert(row).returning('id'))[0];
  const rule = { ...ruleBody(organization), conditions: '[]' };
  const { organization: _rule, ...columns } = rule;
  const event_rule = await insert('plugin_eda.event_rules', { ...columns, organization_id: organization });
  const payload = await insert('plugin_eda.payloads', { body: '{"a": 1}', bytes: 8 });
  const event_log = await insert('plugin_eda.event_logs', {
    event_rule_id: event_rule.id,
    event_rule_name: rule.name,
    organization_id: organization,
    source_type: 'webhook_generic',
    source_ip: '127.0.0.1',
    event_type: 'push',
    event_guid: fresh('guid'),
    payload_id: payload.id,
    status: 'error',
    finished: '2026-01-01',
  });
  const { organization: _webhook, ...webhook } = webhookBody(organization);
  const outbound_webhook = await insert('plugin_outbound_webhooks.outbound_webhooks', {
    ...webhook,
    events: JSON.stringify(webhook.events),
    organization_id: organization,
  });
  const outbound_webhook_delivery = await insert('plugin_outbound_webhooks.outbound_webhook_deliveries', {
    outbound_webhook_id: outbound_webhook.id,
    organization_id: organization,
    message_id: 'msg_1',
    event: 'job.failed',
    run_id: run,
    seq: 1,
    body: '{}',
    status: 'failed',
    next_attempt: null,
    finished: '2026-01-01',
  });
  return { event_rule, event_log, outbound_webhook, outbound_webhook_delivery };
}
