import { type Actor, ApiError } from '@tapline/plugin-sdk';
import type { Context } from 'koa';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { rateLimitFields, secondsOf, windowSeconds } from '../accounts/rate-limit-fields.ts';
import type { Settings } from '../settings/settings.ts';

/** Counts the requests of each token on this node; every answer to one tells how many are left. */
export type LimitToken = (ctx: Pick<Context, 'set'>, actor: Actor | null) => Promise<void>;

export function limitTokens({ settings }: { settings: Pick<Settings, 'get'> }): LimitToken {
  const counted = new RateLimiterMemory({ points: 1, duration: windowSeconds, keyPrefix: 'token' });
  return async (ctx, actor) => {
    const quota = settings.get('TOKEN_REQUESTS_PER_MINUTE');
    if (!quota || actor?.token_id === undefined) return;
    counted.points = quota;
    const { remainingPoints: left, msBeforeNext: milliseconds, refused } = await take(counted, actor.token_id);
    const fields = rateLimitFields('token', { quota, left, milliseconds });
    if (!refused) return ctx.set(fields);
    throw new ApiError(
      429,
      `Too many requests with one token: TOKEN_REQUESTS_PER_MINUTE allows ${quota}. Try again in ${secondsOf(milliseconds)} seconds.`,
      { ...fields, 'Retry-After': String(secondsOf(milliseconds)) },
    );
  };
}

async function take(limiter: RateLimiterMemory, token: number) {
  try {
    const { remainingPoints, msBeforeNext } = await limiter.consume(token);
    return { remainingPoints, msBeforeNext, refused: false };
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    return { remainingPoints: 0, msBeforeNext: error.msBeforeNext, refused: true };
  }
}
