import { randomUUID } from 'node:crypto';
import { type Action, notFound, type PluginApi, type Rule } from '@tapline/plugin-sdk';
import type { Send } from '../deliver/send.ts';
import type { Webhook } from '../webhook.ts';

const schema = {
  type: 'object',
  required: ['delivered', 'status_code', 'duration_ms', 'response_excerpt', 'error', 'webhook_id'],
  additionalProperties: false,
  properties: {
    delivered: { type: 'boolean' },
    status_code: { type: ['integer', 'null'] },
    duration_ms: { type: 'integer' },
    response_excerpt: { type: 'string' },
    error: { type: 'string' },
    webhook_id: { type: 'string' },
  },
};

/** `test/`: one signed request, at once, also while it is disabled. Nothing is kept of it. */
export const testAction = (api: PluginApi, access: Rule, send: Send): Action => ({
  access: { POST: access },
  summary: 'Send a test payload, and tell what became of it',
  fields: {},
  answers: { POST: { schema } },
  async handler(_call, { id }) {
    const webhook: Webhook | undefined = await api.db(api.table('outbound_webhooks')).where({ id }).first();
    if (!webhook) throw notFound();
    const message_id = `msg_${randomUUID()}`;
    const data = { outbound_webhook: { id, name: webhook.name }, text: 'A test of the outbound webhook.' };
    const body = JSON.stringify({ type: 'test', timestamp: api.clock.now().toISOString(), data });
    const { attempt } = await send(webhook, { message_id, event: 'test', body });
    const { started: _started, ...told } = attempt;
    return { status: 200, body: { delivered: told.error === '', ...told, webhook_id: message_id } };
  },
});
