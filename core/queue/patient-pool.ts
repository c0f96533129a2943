import type { Pool, PoolClient } from 'pg';
import { isDatabaseAway } from '../db/database-errors.ts';

/** One of those after which the queue's library tries again, later and later, a hundred times. */
const TRIED_AGAIN = 'ETIMEDOUT';

/**
 * The pool as the queue's library gets it. Where the end of a task could not be written down since a connection broke, or there
 * was none, graphile-worker 0.18 tries again after few errors only: after others the task kept its lock, and its whole queue, for four
 * hours. (It ends its runner where it writes ends down in batches, but waits for ever when two of them failed.) Here every error that tells that
 * the database is away is one of those few.
 */
export const patientPool = (pool: Pool): Pool =>
  instead(pool, {
    connect: async (listen?: Parameters<Pool['connect']>[0]) => {
      // it sees itself to the connection on which it listens
      if (listen) return pool.connect(listen);
      const client = await pool.connect().catch(laterAgain);
      const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
      return instead<PoolClient>(client, { query: (...given: unknown[]) => query(...given).catch(laterAgain) });
    },
  });

function laterAgain(error: unknown): never {
  if (!isDatabaseAway(error)) throw error;
  throw Object.assign(new Error((error as Error).message, { cause: error }), { code: TRIED_AGAIN });
}

/** The same object, but for some of its methods. */
export function instead<T extends object>(whole: T, methods: Record<string, unknown>): T {
  return new Proxy(whole, {
    get(target, name) {
      if (typeof name === 'string' && Object.hasOwn(methods, name)) return methods[name];
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
