import { createHmac, randomBytes } from 'node:crypto';

interface Verified {
  userId: number;
  /** the stored hash it was verified against: a changed password has another one */
  password: string;
  until: number;
}

const lifetimeMs = 60_000;
const maxEntries = 10_000;

/**
 * Remembers verified user name and password pairs for a minute, since one check costs 40 ms.
 * Kept under a hash with a key of this process: memory holds no password and nothing to compare one with.
 */
export function createVerifiedPairs(now: () => number = Date.now) {
  const secret = randomBytes(32);
  const pairs = new Map<string, Verified>();
  return {
    keyOf: (username: string, password: string) =>
      createHmac('sha256', secret)
        .update(JSON.stringify([username, password]))
        .digest('base64url'),
    get(key: string): Verified | null {
      const found = pairs.get(key);
      if (!found || found.until > now()) return found ?? null;
      pairs.delete(key);
      return null;
    },
    set(key: string, userId: number, password: string): void {
      pairs.delete(key);
      if (pairs.size >= maxEntries) pairs.delete(pairs.keys().next().value!);
      pairs.set(key, { userId, password, until: now() + lifetimeMs });
    },
    delete: (key: string) => pairs.delete(key),
  };
}
