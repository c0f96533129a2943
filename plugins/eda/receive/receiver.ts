import { randomUUID } from 'node:crypto';
import {
  ApiError,
  type Call,
  everybody,
  notFound,
  type PluginApi,
  type PluginRoute,
  type Reply,
  safeText,
} from '@tapline/plugin-sdk';
import type { Decoder, Delivery } from '../decoders/decoder.ts';
import { acceptedKeys, type Key } from '../keys.ts';
import { numberOf } from '../settings.ts';
import { KnownRules, type ReceivingRule } from './known-rules.ts';
import { keptHeaders } from './kept-headers.ts';
import { noteRefused } from './note-refused.ts';
import { perMinute } from './per-minute.ts';
import { readPayload } from './read-payload.ts';
import { eventGuid } from './event-guid.ts';
import type { Receipt, Stored } from './store.ts';

const limitBytes = 1_048_576;
const schema = {
  type: 'object',
  required: ['detail', 'status'],
  properties: {
    detail: { type: 'string' },
    event_log: { type: 'integer' },
    event_guid: { type: 'string' },
    status: { type: 'string', enum: ['received', 'ignored', 'duplicate'] },
  },
};

/** The public receiver: whoever signs with the key of the rule is heard, and answered when the event is committed. */
export const receiverRoute = (api: PluginApi, store: (receipt: Receipt) => Promise<Stored>): PluginRoute => ({
  path: '/api/v2/eda_webhooks/:webhook_path/',
  summary: 'An event for a rule, signed with its key; answered when it is stored',
  access: { POST: everybody },
  body: { kind: 'raw', limitBytes },
  takes: { oneOf: [{ type: 'object' }, { type: 'array' }] },
  answers: { POST: { status: 202, schema } },
  handler: createReceive(api, store),
});

function createReceive(api: PluginApi, store: (receipt: Receipt) => Promise<Stored>): PluginRoute['handler'] {
  const rules = new KnownRules(api);
  const [received, refused] = [perMinute(), perMinute()];

  async function refuse(rule: ReceivingRule, call: Call): Promise<never> {
    const most = numberOf(api, 'EDA_SIGNATURE_LOGS_PER_MINUTE', 10);
    if (refused(rule.id, most, Date.now()) === 0)
      // that it could not be noted, such as where the rule is deleted meanwhile, makes no other answer of it
      await noteRefused(api, rule, call).catch((err: unknown) =>
        api.log.warn({ err }, 'a refused event was not noted'),
      );
    throw new ApiError(403, 'Signature verification failed.');
  }
  /** Undefined: it is not accepted by what is known of the rule. */
  async function accept({ rule, delivery, call }: Verified, keys: readonly Key[]): Promise<Reply | undefined> {
    const { decoder } = rule;
    if (!decoder || !rule.enabled || !isSigned(decoder, keys, delivery)) return undefined;
    // behind the signature: who has no key takes no room from who has
    const most = numberOf(api, 'EDA_RECEIVER_PER_MINUTE', 0);
    assertRoom(most, most && received(rule.id, most, Date.now()));
    const receipt = receiptOf(api, decoder, { rule, delivery, call });
    const stored = await store(receipt);
    if (stored.outcome === 'changed') return undefined;
    return answer(receipt, stored, stored.duplicate_response || api.settings.get('EDA_DUPLICATE_RESPONSE', 'reject'));
  }
  return async (call) => {
    const path = safeText(call.params['webhook_path'] ?? '', 200);
    const delivery = deliveryOf(api, call);
    const known = rules.known(path) ?? (await rules.read(path));
    if (!known) throw notFound();
    // a former key has to be read anew
    const accepted = await accept({ rule: known, delivery, call }, known.keys.slice(0, 1));
    if (accepted) return accepted;
    const rule = await rules.read(path);
    const decoder = rule?.decoder;
    if (!rule || !decoder) throw notFound();
    if (!isSigned(decoder, rule.keys, delivery)) return refuse(rule, call);
    if (!rule.enabled) return ignored();
    const late = await accept({ rule, delivery, call }, rule.keys);
    // it changes all the time
    if (!late) throw new ApiError(503, 'The rule is being changed. Try again.', { 'Retry-After': '1' });
    return late;
  };
}

const deliveryOf = ({ clock }: PluginApi, call: Call): Delivery => ({
  header: (name) => call.header(name),
  bytes: call.rawBody ?? Buffer.alloc(0),
  now: clock.now(),
});

/** Each key is tried, so that the time tells nothing. */
const isSigned = (decoder: Decoder, keys: readonly Key[], delivery: Delivery): boolean =>
  acceptedKeys(keys, delivery.now)
    .map((key) => decoder.isSigned(delivery, key))
    .includes(true);

interface Verified {
  rule: ReceivingRule;
  delivery: Delivery;
  call: Call;
}

/** @throws ApiError 400, 415 */
function receiptOf(api: PluginApi, decoder: Decoder, { rule, delivery, call }: Verified): Receipt {
  const payload = readPayload(call.headers['content-type'], delivery.bytes);
  const guid = eventGuid(decoder.eventGuid(delivery, payload.value));
  return {
    rule,
    source_ip: call.ip,
    event_type: safeText(decoder.eventType(delivery, payload.value), 255) || 'unknown',
    event_guid: guid || randomUUID(),
    named: guid !== '',
    payload: payload.text,
    headers: keptHeaders(api, call),
  };
}

function assertRoom(most: number, wait: number): void {
  if (!wait) return;
  throw new ApiError(429, 'The rule takes no more events now.', {
    'Retry-After': String(wait),
    'RateLimit-Policy': `"receiver";q=${most};w=60`,
    RateLimit: `"receiver";r=0;t=${wait}`,
  });
}

function answer(
  { event_guid }: Receipt,
  { id: event_log, outcome }: Exclude<Stored, { outcome: 'changed' }>,
  duplicates: string,
): Reply {
  if (outcome === 'received')
    return { status: 202, body: { detail: 'Event accepted.', event_log, event_guid, status: 'received' } };
  if (duplicates !== 'ack') throw new ApiError(409, { detail: 'Duplicate event.', event_guid, event_log });
  return { status: 202, body: { detail: 'Duplicate event.', event_log, event_guid, status: 'duplicate' } };
}

/** Not refused: that a rule is off must not trip the breaker of its sender. */
const ignored = (): Reply => ({
  status: 202,
  body: { detail: 'The rule is disabled; the event was ignored.', status: 'ignored' },
});
