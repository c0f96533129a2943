import { createHash } from 'node:crypto';
import { ApiError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { networkOf } from '../outbound/addresses.ts';
import { rateLimitFields, secondsOf, windowSeconds } from './rate-limit-fields.ts';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

/** Of one address under whatever names: behind it may be many people. */
const attemptsPerAddress = 5;

/**
 * Counts failed logins per address and user name, over all nodes. The address is part of the key, so
 * nobody can lock out a user who comes from elsewhere. An address with ever new names is held up before it costs hashes.
 */
export function createLoginAttempts({ db, limit }: { db: Knex; limit: () => number }) {
  const options = { points: Math.max(1, limit()), duration: windowSeconds };
  // one limiter for every limit, which may change
  const limiterOf = (keyPrefix: string, factor: number) => {
    const memory = new RateLimiterMemory({ ...options, keyPrefix });
    const postgres = new RateLimiterPostgres({
      ...options,
      keyPrefix,
      storeClient: db,
      storeType: 'knex',
      tableName: 'login_attempts',
      tableCreated: true,
      // housekeeping does: once for all nodes, and no timer outlives its service
      clearExpiredByTimeout: false,
      insuranceLimiter: memory,
    });
    return () => {
      memory.points = postgres.points = limit() * factor;
      return postgres;
    };
  };
  const [ofPair, ofAddress] = [limiterOf('login', 1), limiterOf('login from', attemptsPerAddress)];
  // hashed: both parts come from the caller, and the key is of limited length
  const keyOf = (ip: string, username: string) =>
    createHash('sha256')
      .update(JSON.stringify([ip, username]))
      .digest('base64url');

  return {
    /**
     * Takes one attempt before the password is looked at: attempts sent at once cannot slip through together. Resolves to the fields
     * that tell of what is left.
     */
    async take(ip: string, username: string): Promise<Record<string, string>> {
      if (limit() <= 0) return {};
      try {
        await ofAddress().consume(networkOf(ip));
        const { remainingPoints: left, msBeforeNext } = await ofPair().consume(keyOf(ip, username));
        return rateLimitFields('login', { quota: limit(), left, milliseconds: msBeforeNext });
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        throw tooMany(limit(), error.msBeforeNext);
      }
    },
    /** The attempt was no failure: it does not count. */
    async giveBack(ip: string, username: string): Promise<void> {
      if (limit() <= 0) return;
      await Promise.all([ofAddress().reward(networkOf(ip)), ofPair().reward(keyOf(ip, username))]);
    },
  };
}

/** Attempts count for a minute; which of them are over is known for sure by whoever looks an hour later, whatever its clock. */
export async function deleteOldAttempts(db: Knex): Promise<number> {
  return db('login_attempts')
    .where('expire', '<', Date.now() - 3_600_000)
    .delete();
}

const tooMany = (quota: number, milliseconds: number) =>
  new ApiError(429, `Too many failed login attempts. Try again in ${secondsOf(milliseconds)} seconds.`, {
    'Retry-After': String(secondsOf(milliseconds)),
    ...rateLimitFields('login', { quota, left: 0, milliseconds }),
  });
