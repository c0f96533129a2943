import { historyTab, listTab, pagesOf, t } from '@tapline/console-kit';
import { Redeliver, WebhookActions } from './buttons.js';
import { EventsField, HeadersField } from './fields.js';
import { Tries } from './tries.js';

const delivery = {
  path: 'outbound_webhooks/deliveries',
  api: 'outbound_webhook_deliveries',
  type: 'outbound_webhook_delivery',
  one: t`delivery`,
  many: t`deliveries`,
  nameField: 'message_id',
  order: '-id',
  columns: ['message_id', 'event', 'status', 'attempt', 'status_code', 'duration_ms', 'next_attempt', 'created'],
  filters: ['status', 'event', 'outbound_webhook', 'created', 'status_code'],
  relations: { outbound_webhook: 'outbound_webhooks/' },
  facts: ['status', 'error', 'event', 'unified_job', 'status_code'],
  readOnly: true,
  parent: ({ outbound_webhook: webhook }) =>
    webhook ? `/outbound_webhooks/${webhook}?tab=deliveries` : '/outbound_webhooks',
  actions: Redeliver,
  tabs: [{ id: 'tries', label: t`Tries`, content: Tries }],
};

const webhook = {
  path: 'outbound_webhooks',
  type: 'outbound_webhook',
  one: t`outbound webhook`,
  many: t`outbound webhooks`,
  intro: t`Where starts and ends of jobs and workflows are told, as signed requests.`,
  columns: ['name', 'organization', 'url', 'enabled', 'failing_since'],
  fields: ['name', 'description', 'organization', 'url', 'events', 'enabled', 'ssl_verify', 'custom_headers'],
  facts: ['url', 'events', 'failing_since', 'disabled_reason'],
  custom: { events: EventsField, custom_headers: HeadersField },
  actions: WebhookActions,
  tabs: [listTab({ id: 'deliveries', label: t`Deliveries`, resource: delivery.path }), historyTab],
};

// what is more exact stands first
export const routes = [...pagesOf(delivery), ...pagesOf(webhook)];
