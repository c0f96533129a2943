import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import type { Webhook } from '../webhook.ts';
import { endDeliveries } from './end-deliveries.ts';

/** Switches a webhook off by itself: its deliveries end, the audit log knows it, and whoever asked for it is sent word. */
export async function disable(api: PluginApi, trx: Knex, webhook: Webhook, reason: string): Promise<void> {
  const { id, name, organization_id: organization, url } = webhook;
  const switched = await trx(api.table('outbound_webhooks'))
    .where({ id, enabled: true })
    .update({ enabled: false, disabled_reason: reason, modified: trx.fn.now() });
  if (!switched) return;
  await endDeliveries(api, trx, id);
  await api.audit.record({
    action: 'disable',
    actor: null,
    object: { type: 'outbound_webhook', id, name },
    organization,
    changes: { enabled: [true, false], reason },
    trx,
  });
  api.log.warn({ outbound_webhook: id, reason }, 'an outbound webhook was disabled');
  const template = webhook.notification_template_id;
  if (template === null || !(await trx('notification_templates').where({ id: template }).forKeyShare().first('id')))
    return;
  const subject = `Outbound webhook "${name.slice(0, 100)}" was disabled`;
  await api.notify.deliver({ template, subject, body: `${subject}.\n${reason}\nTarget: ${new URL(url).host}`, trx });
}
