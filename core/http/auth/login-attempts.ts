import { createHash } from 'node:crypto';
import { ApiError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

const windowSeconds = 60;

/**
 * Counts failed logins per address and user name, over all nodes. The address is part of the key, so
 * nobody can lock out a user who comes from elsewhere.
 */
export function createLoginAttempts({ db, limit }: { db: Knex; limit: () => number }) {
  const options = { points: Math.max(1, limit()), duration: windowSeconds, keyPrefix: 'login' };
  const memory = new RateLimiterMemory(options);
  const postgres = new RateLimiterPostgres({
    ...options,
    storeClient: db,
    storeType: 'knex',
    tableName: 'login_attempts',
    tableCreated: true,
    insuranceLimiter: memory,
  });
  // one limiter for every limit: each of them keeps a timer of its own
  const current = () => {
    const points = limit();
    if (points <= 0) return null;
    memory.points = points;
    postgres.points = points;
    return postgres;
  };
  // hashed: both parts come from the caller, and the key is of limited length
  const keyOf = (ip: string, username: string) =>
    createHash('sha256')
      .update(JSON.stringify([ip, username]))
      .digest('base64url');

  return {
    /** Takes one attempt before the password is looked at: attempts sent at once cannot slip through together. */
    async take(ip: string, username: string): Promise<void> {
      try {
        await current()?.consume(keyOf(ip, username));
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        throw tooMany(limit(), Math.max(1, Math.ceil(error.msBeforeNext / 1000)));
      }
    },
    /** The attempt was no failure: it does not count. */
    async giveBack(ip: string, username: string): Promise<void> {
      await current()?.reward(keyOf(ip, username));
    },
  };
}

const tooMany = (limit: number, seconds: number) =>
  new ApiError(429, `Too many failed login attempts. Try again in ${seconds} seconds.`, {
    'Retry-After': String(seconds),
    'RateLimit-Policy': `"login";q=${limit};w=${windowSeconds}`,
    RateLimit: `"login";r=0;t=${seconds}`,
  });
