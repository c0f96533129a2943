import type { Line } from './expectations.ts';
import { may } from './who.ts';

const admin = may.organization;
const writes = { PUT: admin, PATCH: admin, DELETE: admin };
const acts = (at: string): Line => ({ at, GET: null, POST: admin });

/** Specification, "Authentication" 5: organizations' administrators manage them. */
export const eventExpectations: Record<string, Line> = {
  'event_rules/': { shows: 'event_rule', POST: admin, form: [...admin, 'otherAdmin'] },
  // a rule that is not made yet, for who may make it
  'event_rules/test/': { GET: null, POST: admin, form: ['*'] },
  'event_rules/backtest/': { GET: null, POST: admin, form: ['*'] },
  'event_rules/:id/': { at: 'event_rule', ...writes },
  'event_rules/:id/webhook_key/': { at: 'event_rule', GET: [...admin, 'readToken'], POST: admin },
  'event_rules/:id/test/': acts('event_rule'),
  'event_rules/:id/backtest/': acts('event_rule'),
  'event_rules/:id/enable/': acts('event_rule'),
  'event_rules/:id/disable/': acts('event_rule'),
  'event_rules/:id/event_logs/': { at: 'event_rule', shows: 'event_log' },
  'event_rules/:id/activity_stream/': { at: 'event_rule' },
  'event_rules/:id/explain-access/': { at: 'event_rule' },
  'event_logs/': { shows: 'event_log' },
  // each for those that he administers
  'event_logs/retry/': { GET: null, POST: ['*'] },
  'event_logs/:id/': { at: 'event_log' },
  'event_logs/:id/replay/': acts('event_log'),
  'event_logs/:id/activity_stream/': { at: 'event_log' },
  'event_logs/:id/explain-access/': { at: 'event_log' },
  'eda_webhooks/:webhook_path/': { GET: null, POST: [], open: 'POST', form: ['*'], answers: { POST: '404' } },
  'outbound_webhooks/': { shows: 'outbound_webhook', POST: admin, form: [...admin, 'otherAdmin'] },
  'outbound_webhooks/:id/': { at: 'outbound_webhook', ...writes },
  'outbound_webhooks/:id/webhook_key/': { at: 'outbound_webhook', GET: [...admin, 'readToken'], POST: admin },
  'outbound_webhooks/:id/test/': acts('outbound_webhook'),
  'outbound_webhooks/:id/deliveries/': { at: 'outbound_webhook', shows: 'outbound_webhook_delivery' },
  'outbound_webhooks/:id/activity_stream/': { at: 'outbound_webhook' },
  'outbound_webhooks/:id/explain-access/': { at: 'outbound_webhook' },
  'outbound_webhook_deliveries/': { shows: 'outbound_webhook_delivery' },
  'outbound_webhook_deliveries/:id/': { at: 'outbound_webhook_delivery' },
  'outbound_webhook_deliveries/:id/redeliver/': acts('outbound_webhook_delivery'),
  'outbound_webhook_deliveries/:id/activity_stream/': { at: 'outbound_webhook_delivery' },
  'outbound_webhook_deliveries/:id/explain-access/': { at: 'outbound_webhook_delivery' },
};
