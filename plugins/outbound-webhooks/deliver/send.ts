import { OutboundError, type PluginApi, safeText } from '@tapline/plugin-sdk';
import { hexSignature, openHeaders, signingKeys, standardSignature } from '../keys.ts';
import { type Attempt, mask, type Webhook } from '../webhook.ts';

const timeoutMs = 15_000;
const longestExcerpt = 1000;

export interface Message {
  message_id: string;
  event: string;
  body: string;
}

/** What became of a request. */
export interface Sent {
  attempt: Attempt;
  /** as it was sent, with what is secret masked */
  request: { url: string; headers: Record<string, string> };
  /** seconds or a time, as the target said */
  retryAfter: string | undefined;
}

export type Send = (webhook: Webhook, message: Message) => Promise<Sent>;

/** One request, signed as Standard Webhooks 1.0 and our own receiver have it; never throws. */
export const createSend =
  (api: PluginApi): Send =>
  async (webhook, message) => {
    const started = api.clock.now();
    const began = performance.now();
    const keys = signingKeys(api, webhook, started);
    const custom = openHeaders(api, webhook);
    const own = ownHeaders(keys, message, started);
    const told = masking([...keys, ...Object.values(custom)]);
    const ended = (more: Partial<Attempt>): Attempt => ({
      started: started.toISOString(),
      duration_ms: Math.round(performance.now() - began),
      status_code: null,
      response_excerpt: '',
      error: '',
      ...more,
    });
    const request = { url: webhook.url, headers: { ...webhook.custom_headers, ...own } };
    try {
      const { status, headers, body } = await api.http.request(webhook.url, {
        method: 'POST',
        headers: { ...custom, ...own },
        body: message.body,
        timeoutMs,
        // what a target says after its status is for people alone
        maxBytes: 4 * longestExcerpt,
        cut: true,
        verifyTls: webhook.ssl_verify,
      });
      const error = status >= 200 && status < 300 ? '' : `The target answered ${status}.`;
      const response_excerpt = told(body.toString('utf8'));
      return {
        request,
        retryAfter: headers['retry-after'],
        attempt: ended({ status_code: status, response_excerpt, error }),
      };
    } catch (error) {
      const known = error instanceof OutboundError;
      if (!known) api.log.error({ err: error, outbound_webhook: webhook.id }, 'a delivery could not be tried');
      const text = known ? error.message : 'It could not be tried; the log of the service says why.';
      return { request, retryAfter: undefined, attempt: ended({ error: told(text) }) };
    }
  };

function ownHeaders(keys: readonly string[], { message_id, event, body }: Message, at: Date): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return {
    'content-type': 'application/json',
    'webhook-id': message_id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standardSignature(keys, `${message_id}.${timestamp}.${body}`),
    'X-Svc-Signature': hexSignature(keys[0]!, body),
    'X-Svc-Event': event,
    'X-Svc-Delivery': message_id,
  };
}

/** What a target says may repeat what it was sent. */
function masking(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter((secret) => secret.length > 3);
  return (text) =>
    safeText(
      known.reduce((shown, secret) => shown.replaceAll(secret, mask), text),
      longestExcerpt,
    );
}
