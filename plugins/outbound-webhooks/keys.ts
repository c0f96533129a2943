import { createHmac, randomBytes } from 'node:crypto';
import type { PluginApi } from '@tapline/plugin-sdk';
import type { Webhook } from './webhook.ts';

type Secrets = Pick<PluginApi, 'secrets'>;
type Keyed = Pick<Webhook, 'id' | 'webhook_key' | 'former_key' | 'former_key_until'>;

const prefix = 'whsec_';

/** As Standard Webhooks has keys. */
export const newKey = (): string => `${prefix}${randomBytes(32).toString('base64')}`;

export const keyProblem = (key: string): string | undefined => {
  if (!key.startsWith(prefix)) return undefined;
  const bytes = Buffer.from(key.slice(prefix.length), 'base64');
  return bytes.length && bytes.toString('base64') === key.slice(prefix.length)
    ? undefined
    : `Behind ${prefix} base64 is expected.`;
};

const cell = (column: 'webhook_key' | 'former_key' | 'header_values', id: number) => ({
  table: 'outbound_webhooks',
  column,
  id,
});

export const openKey = ({ secrets }: Secrets, { id, webhook_key: stored }: Keyed): string =>
  secrets.open(stored, cell('webhook_key', id));

/** Those that requests are signed with now, the present one first. */
export function signingKeys({ secrets }: Secrets, webhook: Keyed, now: Date): string[] {
  const { id, former_key: former, former_key_until: until } = webhook;
  const still = former && until && new Date(until) > now;
  return [openKey({ secrets }, webhook), ...(still ? [secrets.open(former, cell('former_key', id))] : [])];
}

/** The columns of a webhook that gets this key. */
export function replacedKey({ secrets }: Secrets, webhook: Keyed, key: string, until: Date | null): object {
  const former = openKey({ secrets }, webhook);
  return {
    webhook_key: secrets.seal(key, cell('webhook_key', webhook.id)),
    former_key: until ? secrets.seal(former, cell('former_key', webhook.id)) : '',
    former_key_until: until?.toISOString() ?? null,
  };
}

/** Custom headers with their values. */
export function openHeaders(
  { secrets }: Secrets,
  { id, header_values: stored }: Pick<Webhook, 'id' | 'header_values'>,
): Record<string, string> {
  return JSON.parse(secrets.open(stored, cell('header_values', id)) || '{}');
}

export const sealHeaders = ({ secrets }: Secrets, id: number, headers: Record<string, string>): string =>
  Object.keys(headers).length ? secrets.seal(JSON.stringify(headers), cell('header_values', id)) : '';

const bytesOf = (key: string): Buffer =>
  key.startsWith(prefix) ? Buffer.from(key.slice(prefix.length), 'base64') : Buffer.from(key);

/** Standard Webhooks 1.0: one signature for each key. */
export const standardSignature = (keys: readonly string[], signed: string): string =>
  keys.map((key) => `v1,${createHmac('sha256', bytesOf(key)).update(signed).digest('base64')}`).join(' ');

export const hexSignature = (key: string, body: string): string =>
  `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
