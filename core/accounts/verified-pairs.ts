import { hash, randomBytes } from 'node:crypto';
import type { UserRow } from './user-row.ts';

interface Verified {
  /** as last seen, with the stored hash that the pair was verified against: a changed password has another one */
  user: UserRow;
  until: number;
}

const lifetimeMs = 60_000;
const maxEntries = 10_000;

/**
 * Remembers verified user name and password pairs for a minute, since one check costs 40 ms.
 * Kept under a hash with a key of this process: memory holds no password and nothing to compare one with.
 */
export function createVerifiedPairs(now: () => number = Date.now) {
  const secret = randomBytes(32).toString('base64url');
  const pairs = new Map<string, Verified>();
  return {
    keyOf: (username: string, password: string) =>
      hash('sha256', secret + JSON.stringify([username, password]), 'base64url'),
    get(key: string): Verified | null {
      const found = pairs.get(key);
      if (!found || found.until > now()) return found ?? null;
      pairs.delete(key);
      return null;
    },
    set(key: string, user: UserRow): void {
      pairs.delete(key);
      if (pairs.size >= maxEntries) pairs.delete(pairs.keys().next().value!);
      pairs.set(key, { user, until: now() + lifetimeMs });
    },
    delete: (key: string) => pairs.delete(key),
  };
}
