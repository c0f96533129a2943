import { assertMayNotify, defineResource, field, type PluginApi, type Resource } from '@tapline/plugin-sdk';
import { accessOf } from '../access.ts';
import { endDeliveries, leaveDeliveries } from '../deliver/end-deliveries.ts';
import type { Send } from '../deliver/send.ts';
import { events } from '../webhook.ts';
import { checkWebhook, storeHeaders } from './check-webhook.ts';
import { keyAction } from './key-action.ts';
import { testAction } from './test-action.ts';

const ro = { mode: 'ro' } as const;

/** Managed by administrators of its organization (specification, OutboundWebhook). */
export function outboundWebhookResource(api: PluginApi, send: Send): Resource {
  const { manage, see } = accessOf(api);
  return defineResource({
    type: 'outbound_webhook',
    path: 'outbound_webhooks',
    table: 'outbound_webhooks',
    label: 'Outbound webhook',
    description: 'Where changes of jobs and workflows of its organization are sent to, as signed requests.',
    access: { see, create: manage, change: manage, delete: manage },
    orderBy: ['name', 'id'],
    search: ['name', 'description', 'url'],
    naming: ['name', 'organization'],
    unique: {
      outbound_webhooks_name: {
        field: '__all__',
        message: 'Outbound webhook with this Name and Organization already exists.',
      },
    },
    fields: fields(),
    sublists: {
      deliveries: { resource: 'outbound_webhook_delivery', column: 'outbound_webhook_id', orderBy: ['-id'] },
    },
    actions: { test: testAction(api, manage, send), webhook_key: keyAction(api, manage) },
    async validate(context) {
      checkWebhook(api, context as never);
      await assertMayNotify(api, context);
    },
    afterCreate: (context, row) => storeHeaders(api, context as never, row),
    async afterUpdate(context, row) {
      await storeHeaders(api, context as never, row);
      if (context.before.organization_id !== row.organization_id) await leaveDeliveries(api, context.trx, row.id);
      if (context.before.enabled && !row.enabled) await endDeliveries(api, context.trx, row.id);
    },
  });
}

const fields = () => ({
  name: field.string({ required: true }),
  description: field.text(),
  organization: field.ref('organization', { required: true, nullable: false }),
  url: field.string({
    required: true,
    max: 2048,
    help: 'Where requests go: http or https. Redirects are not followed.',
  }),
  webhook_key: field.string({
    mode: 'wo',
    secret: true,
    max: 255,
    help: 'What requests are signed with; one is made where none is given. Only webhook_key/ shows it.',
  }),
  events: field.list({ required: true, filterable: false, help: `Of these at least one: ${events.join(', ')}.` }),
  custom_headers: field.json({
    filterable: false,
    help: 'Further headers by name. Their values are stored encrypted and shown as $encrypted$.',
  }),
  enabled: field.boolean({ default: true }),
  ssl_verify: field.boolean({ default: true, help: 'Check the certificate of the target.' }),
  notification_template: field.ref('notification_template', {
    help: 'Sends word when the webhook is disabled since nothing could be delivered.',
  }),
  failing_since: field.datetime({ ...ro, nullable: true, help: 'Every delivery failed since then.' }),
  disabled_reason: field.text({ ...ro, help: 'Why the service disabled it.' }),
});
