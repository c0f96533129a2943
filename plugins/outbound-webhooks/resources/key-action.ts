import { type Action, field, notFound, type PluginApi, type Row, type Rule } from '@tapline/plugin-sdk';
import { newKey, openKey, replacedKey } from '../keys.ts';
import type { Webhook } from '../webhook.ts';

const answered = { webhook_key: field.string() };

/** `webhook_key/`: the only place where it is shown, and a new one; for a while both sign. */
export const keyAction = (api: PluginApi, access: Rule): Action => ({
  access: { GET: access, POST: access },
  summary: 'The key that requests are signed with, and a new one',
  fields: {},
  answers: { GET: { fields: answered }, POST: { status: 201, fields: answered } },
  async handler(call, { id }) {
    const webhooks = api.table('outbound_webhooks');
    if (call.method === 'GET') {
      const webhook: Webhook | undefined = await api.db(webhooks).where({ id }).first();
      if (!webhook) throw notFound();
      return { status: 200, body: { webhook_key: openKey(api, webhook) } };
    }
    const key = newKey();
    const hours = api.settings.get('OUTBOUND_WEBHOOK_KEY_OVERLAP_HOURS', 24);
    const until = hours ? new Date(api.clock.now().getTime() + hours * 3_600_000) : null;
    await api.db.transaction(async (trx) => {
      const before: Row | undefined = await trx(webhooks).where({ id }).forUpdate().first();
      if (!before) throw notFound();
      const columns = { ...replacedKey(api, before as unknown as Webhook, key, until), modified: trx.fn.now() };
      const [row] = await trx(webhooks).where({ id }).update(columns).returning('*');
      await call.written(trx, 'outbound_webhook', row, before);
    });
    return { status: 201, body: { webhook_key: key } };
  },
});
