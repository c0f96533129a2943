import { ApiError } from '@tapline/plugin-sdk';
import type { Middleware } from 'koa';
import { forRequest } from '../db/pool-shares.ts';
import { createLanes } from '../observe/lanes.ts';
import { networkOf } from '../outbound/addresses.ts';
import type { Settings } from '../settings/settings.ts';

type Limit = 'REQUESTS_PER_USER' | 'REQUESTS_PER_ADDRESS';
interface Deps {
  settings: Pick<Settings, 'get'>;
}

/** Of a user's own requests, for each that is in work. */
const waiting = 30;
/** They wait for others most of their time, for scans and policies for instance, and hold nothing meanwhile. */
const launchesPerRequest = 10;

const tooMany = (limit: Limit) =>
  new ApiError(429, `Too many requests at once: ${limit} allows no more. Try again later.`, { 'Retry-After': '1' });

/** Before anything is looked up for a request. */
export function limitByAddress({ settings }: Deps): Middleware {
  const enter = createLanes<string>({
    atOnce: () => settings.get('REQUESTS_PER_ADDRESS'),
    maxWaiting: () => 0,
    full: () => tooMany('REQUESTS_PER_ADDRESS'),
  });
  return async (ctx, next) => {
    const leave = await enter(networkOf(ctx.ip));
    try {
      await next();
    } finally {
      leave();
    }
  };
}

export interface Caller {
  /** the user's id; an address where nobody is known */
  who: number | string;
  launches: boolean;
  /** whoever went away meanwhile needs no answer */
  gone: () => boolean;
}

/** Does the work of a request when it is its caller's turn. */
export type InTurn = <T>(caller: Caller, work: () => Promise<T>) => Promise<T>;

export function takeTurns({ settings }: Deps): InTurn {
  const laneOf = (places: number) =>
    createLanes<Caller['who']>({
      atOnce: () => places * settings.get('REQUESTS_PER_USER'),
      maxWaiting: () => waiting * settings.get('REQUESTS_PER_USER'),
      full: () => tooMany('REQUESTS_PER_USER'),
    });
  const [requests, launches] = [laneOf(1), laneOf(launchesPerRequest)];
  return async (caller, work) => {
    const leave = await (caller.launches ? launches : requests)(caller.who);
    try {
      if (caller.gone()) throw new ApiError(408, 'The client did not wait.');
      return await forRequest(work);
    } finally {
      leave();
    }
  };
}
