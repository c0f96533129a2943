import { AsyncLocalStorage } from 'node:async_hooks';
import { ApiError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';

/** The `Idempotency-Key` under which a request launches; `attempt` tells this try from one that was given up. */
export interface LaunchKey {
  user: number;
  hash: Buffer;
  attempt: string;
  /** what the answer says besides the run, kept with it */
  extra: Record<string, unknown>;
}

// A context and no argument: a way to launch that forgot to hand the key on would launch twice, and nobody would notice.
const current = new AsyncLocalStorage<LaunchKey>();

export const underKey = <T>(key: LaunchKey, work: () => Promise<T>): Promise<T> => current.run(key, work);

/** What is launched within is not what the request asked for: its key stays free for that. */
export const underNoKey = <T>(work: () => Promise<T>): Promise<T> => current.exit(work);

export function noteAnswer(extra: Record<string, unknown>): void {
  Object.assign(current.getStore()?.extra ?? {}, extra);
}

export const isUnderKey = (): boolean => current.getStore() !== undefined;

/**
 * Ties the run to the key of its request, in the transaction that makes it pending: from then on nobody launches under
 * this key again. @throws ApiError 409 when the key is in other hands, since this process was taken for dead
 */
export async function bindLaunch(trx: Knex, run: { id: number }): Promise<void> {
  const key = current.getStore();
  if (!key) return;
  const bound = await trx('idempotency_keys')
    .where({ user_id: key.user, key_hash: key.hash, attempt: key.attempt })
    // a request that starts several runs is known by its first
    .update({ run_id: trx.raw('coalesce(run_id, ?)', [run.id]), extra: JSON.stringify(key.extra) });
  if (!bound)
    throw new ApiError(409, 'Another request with this Idempotency-Key has taken over; this one launched nothing.');
}
