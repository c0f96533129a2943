import { randomBytes } from 'node:crypto';
import type { WriteContext } from '@tapline/plugin-sdk';
import { assertRights } from '../rbac/rights.ts';

type Refuse = (key: string, text: string) => void;

/** 300 bits, and no character that a form or a shell might change. */
export const newWebhookKey = (): string => randomBytes(38).toString('base64url').slice(0, 50);

/**
 * contract/jobs.md §2.4 and §18.2: the webhook of a template as it will be. A service without a key gets one, and the key
 * goes with its service.
 */
export async function checkWebhook({ trx, call, input, before, sent }: WriteContext, refuse: Refuse): Promise<void> {
  // a PUT that does not name the key, which nobody can read, keeps it
  if (!sent.has('webhook_key') || !input['webhook_key']) delete input['webhook_key'];
  const row = { ...before, ...input };
  const service = String(row['webhook_service'] ?? '');
  if (!service) {
    if (input['webhook_key']) refuse('webhook_key', 'A webhook key needs a webhook service.');
    if (before?.['webhook_key']) input['webhook_key'] = '';
  } else if (!row['webhook_key']) input['webhook_key'] = newWebhookKey();
  const credential = (row['webhook_credential_id'] ?? null) as number | null;
  if (credential === null) return;
  if (!service) return refuse('webhook_credential', 'A webhook credential needs a webhook service.');
  const type: { kind: string; namespace: string | null } | undefined = await trx('credentials as c')
    .join('credential_types as t', 't.id', 'c.credential_type_id')
    .where('c.id', credential)
    .first('t.kind', 't.namespace');
  if (type?.kind !== 'token' || type.namespace !== `${service}_token`)
    refuse('webhook_credential', `The credential must be an access token of ${service}.`);
  if (credential !== before?.['webhook_credential_id'])
    await assertRights(trx, call.actor, [{ type: 'credential', field: 'use_role', id: credential }]);
}
