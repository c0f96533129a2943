import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** A webhook as it came in. */
export interface Delivery {
  /** names in lower case */
  headers: Readonly<Record<string, string>>;
  /** what signatures are made over */
  bytes: Buffer;
}

/** What a commit's page is told of a run: one of few states, and where to look. */
export interface Report {
  state: 'pending' | 'running' | 'success' | 'failure' | 'error';
  name: string;
  description: string;
  address: string;
}

/** One kind of source host whose webhooks are understood (contract/jobs.md §23). */
export interface Sender {
  /** as `webhook_service` names it, and the receiver's address */
  name: string;
  /** The key, or a signature made with it, came along. */
  isSigned(delivery: Delivery, key: string): boolean;
  type(headers: Delivery['headers']): string;
  /** the sender's own number of the delivery, so that one sent twice is known */
  guid(delivery: Delivery): string;
  /** it asks whether anybody is there; true also where it is not signed */
  isPing?(type: string): 'signed' | 'unsigned' | undefined;
  /** false: nothing is started by it */
  starts?(type: string): boolean;
  /** the commit, or what stands for it; '' where it names none */
  ref(type: string, payload: unknown): string;
  /** `refs/heads/main`, …: what was pushed; none where it is no push */
  pushed(type: string, payload: unknown): string[];
  /** where the state of that commit is told; '' where nowhere is known */
  statusApi(type: string, payload: unknown): string;
  /** the request that tells it there */
  report(report: Report, token: string): { headers: Record<string, string>; body: string };
}

/** The text or number at a path of a payload; '' for anything else. */
export function at(payload: unknown, path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>(
      (within, key) =>
        typeof within === 'object' && within !== null && Object.hasOwn(within, key)
          ? (within as Record<string, unknown>)[key]
          : undefined,
      payload,
    );
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** In the same time whatever differs, and however long they are. */
export function sameText(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}

/** `sha256=<hex>` over the bytes. */
export function isSignature(text: string, bytes: Buffer, key: string): boolean {
  const [, algorithm, digest] = /^(sha1|sha256)=([0-9a-fA-F]{1,128})$/.exec(text) ?? [];
  if (!algorithm || !digest) return false;
  return sameText(digest.toLowerCase(), createHmac(algorithm, key).update(bytes).digest('hex'));
}

export const digestOf = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex');

/** An address of the same host: a payload names many, and which of them can be asked for the status is known. */
export const onHostOf = (address: string, path: string): string =>
  URL.canParse(address) && /^https?:$/.test(new URL(address).protocol) ? `${new URL(address).origin}${path}` : '';
