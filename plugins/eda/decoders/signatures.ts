import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Delivery } from './decoder.ts';

/** In the same time whatever differs, and however long they are. */
export function sameText(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}

/** `sha256=<hex>` over the bytes. */
export function isHexSignature(text: string | undefined, algorithm: 'sha1' | 'sha256', bytes: Buffer, key: string) {
  const [, named, digest] = /^(sha1|sha256)=([0-9a-fA-F]{40,64})$/.exec(text ?? '') ?? [];
  if (named !== algorithm || !digest) return false;
  return sameText(digest.toLowerCase(), createHmac(algorithm, key).update(bytes).digest('hex'));
}

/** Standard Webhooks 1.0: how far a timestamp may be off. */
const toleranceMs = 300_000;
const prefix = 'whsec_';

/** What a key stands for: of one with the prefix, the bytes that it encodes. */
export const standardKey = (key: string): Buffer =>
  key.startsWith(prefix) ? Buffer.from(key.slice(prefix.length), 'base64') : Buffer.from(key);

/** Where nothing stands behind the prefix, whoever knows that could sign. */
export const keyProblem = (key: string): string | undefined => {
  if (!key.startsWith(prefix)) return undefined;
  const bytes = standardKey(key);
  return bytes.length && bytes.toString('base64') === key.slice(prefix.length)
    ? undefined
    : `Behind ${prefix} the key of Standard Webhooks is expected, in base64.`;
};

/** Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp`, and in `webhook-signature` any number of signatures. */
export function isStandardSignature({ header, bytes, now }: Delivery, key: string): boolean {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header);
  if (!id || !signatures || !/^\d{1,12}$/.test(timestamp ?? '')) return false;
  if (Math.abs(now.getTime() - Number(timestamp) * 1000) > toleranceMs) return false;
  const wanted = createHmac('sha256', standardKey(key)).update(`${id}.${timestamp}.`).update(bytes).digest('base64');
  // none is left out, so that the time tells nothing
  return signatures
    .split(' ', 20)
    .map((one) => sameText(one, `v1,${wanted}`))
    .includes(true);
}
