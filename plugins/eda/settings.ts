import type { PluginApi } from '@tapline/plugin-sdk';

const category = 'events';

export function defineSettings({ settings }: Pick<PluginApi, 'settings'>): void {
  const count = (key: string, value: number, max: number, unit: string, help: string) =>
    settings.define({ key, category, type: 'integer', default: value, min: 0, max, unit, help });
  count('EDA_EVENT_RETENTION_DAYS', 30, 3650, 'days', 'Event logs older than this are deleted each hour. 0 keeps all.');
  count(
    'EDA_EVENT_RETENTION_MB',
    0,
    10_000_000,
    'MB',
    'When the payloads of event logs take more than this, the oldest are dropped from their logs, which say so. 0 sets no limit.',
  );
  count('EDA_DEDUPLICATION_DAYS', 7, 365, 'days', 'How long an event_guid of a rule must not come again.');
  count(
    'EDA_KEY_OVERLAP_HOURS',
    24,
    720,
    'hours',
    'How long the former webhook key of a rule is accepted after it was replaced. 0 accepts the new one alone.',
  );
  count(
    'EDA_SIGNATURE_LOGS_PER_MINUTE',
    10,
    1000,
    'logs',
    'Events with a wrong signature that are logged, per minute, rule and node. All of them are refused.',
  );
  count(
    'EDA_RECEIVER_PER_MINUTE',
    0,
    1_000_000,
    'events',
    'Events that the receiver takes per minute, rule and node; more are answered with 429. 0 sets no limit.',
  );
  settings.define({
    key: 'EDA_DUPLICATE_RESPONSE',
    category,
    type: 'choice',
    choices: ['reject', 'ack'],
    default: 'reject',
    help: 'What the sender of an event that came before is told, where its rule says nothing else. reject: 409. ack: 202, for senders that give up after refusals.',
  });
  settings.define({
    key: 'EDA_KEPT_HEADERS',
    category,
    type: 'list',
    default: keptByDefault,
    help: 'Names of headers that are kept with an event and that conditions see. Signatures, tokens, cookies and the like are never kept.',
    check: (names) => (names.every((name) => typeof name === 'string') ? undefined : 'Names of headers are expected.'),
  });
}

const keptByDefault = [
  'content-type',
  'user-agent',
  'x-request-id',
  'traceparent',
  'idempotency-key',
  'webhook-id',
  'webhook-timestamp',
  'x-svc-event',
  'x-svc-delivery',
  'x-scm-event',
  'x-scm-delivery',
  'x-scm-event-uuid',
  'x-github-event',
  'x-github-delivery',
  'x-github-hook-id',
  'x-gitlab-event',
  'x-gitlab-event-uuid',
  'x-gitlab-instance',
];

/** A setting of the plugin that is a number. */
export const numberOf = ({ settings }: Pick<PluginApi, 'settings'>, key: string, otherwise: number): number =>
  settings.get(key, otherwise);
