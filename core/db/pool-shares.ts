import { AsyncLocalStorage } from 'node:async_hooks';
import { ApiError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { createLanes } from '../observe/lanes.ts';
import { currentSection } from '../observe/section.ts';
import { limitAnswers, mostAnswerBytes } from './answers.ts';

const requests = new AsyncLocalStorage<true>();

/** What is done for somebody who asks: its statements share the connections that requests may have. */
export const forRequest = <T>(work: () => T): T => requests.run(true, work);

type Share = 'requests' | 'plugins';

const shareOf = (): Share | undefined => (requests.getStore() ? 'requests' : currentSection() ? 'plugins' : undefined);

/** As long as a list may take. */
const patienceMs = 10_000;
const parts: Record<Share, number> = { requests: 0.5, plugins: 0.3 };

interface PoolLimits {
  max: number;
  mostForRequests?: () => number;
}

/**
 * Requests, and what plugins do by themselves, may each have a part of the pool only: however slow their statements
 * are, there are connections for dispatching, storing events, signs of life and authentication.
 */
export function sharePool(db: Knex, { max, mostForRequests = () => mostAnswerBytes }: PoolLimits): void {
  const { client } = db;
  const acquire = client.acquireConnection.bind(client) as () => Promise<object>;
  const release = client.releaseConnection.bind(client) as (connection: object) => Promise<void>;
  const lanes = {
    requests: laneOf(max * parts.requests, 'All connections to the database that requests may have are in use.'),
    plugins: laneOf(max * parts.plugins, 'All connections to the database that plugins may have are in use.'),
  };
  const leaves = new WeakMap<object, () => void>();
  client.acquireConnection = async () => {
    const share = shareOf();
    if (!share) return acquire();
    const leave = await lanes[share]('all');
    try {
      const connection = await acquire();
      leaves.set(connection, leave);
      if (share === 'requests') limitAnswers(connection, mostForRequests());
      return connection;
    } catch (error) {
      leave();
      throw error;
    }
  };
  client.releaseConnection = (connection: object) => {
    const leave = leaves.get(connection);
    if (leave) {
      leaves.delete(connection);
      limitAnswers(connection, mostAnswerBytes);
      leave();
    }
    return release(connection);
  };
}

const laneOf = (places: number, full: string) =>
  createLanes<'all'>({
    atOnce: () => Math.max(1, Math.floor(places)),
    maxWaiting: () => Number.POSITIVE_INFINITY,
    patienceMs,
    full: () => new ApiError(503, `${full} Try again later.`, { 'Retry-After': '2' }),
  });
