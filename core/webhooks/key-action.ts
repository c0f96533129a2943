import { type Action, field, notFound, type Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { webhookKeyCell } from '../secrets/cells.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { newWebhookKey } from './check-webhook.ts';

export interface WebhookKeyDeps {
  db: Knex;
  keyRing: Pick<KeyRing, 'encrypt' | 'decrypt'>;
}

/** `''` where there is none. */
export const openWebhookKey = (
  keyRing: Pick<KeyRing, 'decrypt'>,
  { id, webhook_key: stored }: { id: number; webhook_key: string },
): string => (stored ? keyRing.decrypt(stored, webhookKeyCell(id)) : '');

const answered = { webhook_key: field.string() };

/** `webhook_key/` of templates of a type: the key for whoever administers them, and a new one. */
export const webhookKeyAction = ({ db, keyRing }: WebhookKeyDeps, type: string, change: Rule): Action => ({
  access: { GET: change, POST: change },
  summary: 'The key that its webhooks are signed with, and a new one',
  answers: { GET: { fields: answered }, POST: { status: 201, fields: answered } },
  async handler(call, { id }) {
    if (call.method === 'GET') {
      const row = await db('templates').where({ id }).first('id', 'webhook_key');
      if (!row) throw notFound();
      return { status: 200, body: { webhook_key: openWebhookKey(keyRing, row) } };
    }
    const key = newWebhookKey();
    await db.transaction(async (trx) => {
      const before = await trx('templates').where({ id }).forUpdate().first();
      if (!before) throw notFound();
      const sealed = { webhook_key: keyRing.encrypt(key, webhookKeyCell(id)), modified: trx.fn.now() };
      const [row] = await trx('templates').where({ id }).update(sealed).returning('*');
      await call.written(trx, type, row, before);
    });
    return { status: 201, body: { webhook_key: key } };
  },
});
