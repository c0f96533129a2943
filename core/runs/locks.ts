import type { MovedRun } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runPrepared } from '../db/prepared.ts';

/**
 * Locks as data: a run holds the keys of `runs.holds` while it is waiting or running, and waits while another one holds
 * a key of its `waits_for`. The dispatcher writes the key that stands in the way into `blocked_on` and does not look at
 * the run again until that key is released.
 */

/** Everybody who waits for one particular run goes on when it ends. */
export const runKey = (run: number): string => `run:${run}`;

/** For Postgres, with the id in parentheses: a key that only begins like one is no reason to stop at. */
export const RUN_KEY = '^run:([0-9]{1,18})$';

/** What a run that stands in line is told of the one whose turn it is. */
export const lineReason = (status: string, kind: string, id: number | string) => ({
  code: 'concurrency',
  text: `Another run of the same template is ${status} (${kind} ${id}); it does not allow simultaneous runs.`,
  explanation: `waiting for ${kind}-${id} to finish`,
});

/** What a run waits for that only its own kind moves on (`staysPending`): the dispatcher never looks at it. */
export const ANSWER = 'answer';

/** What means something to core: who held such a key would let go on at its end what waits for somebody else. */
export const isReservedKey = (key: string): boolean => key === ANSWER || key.startsWith('run:');

/**
 * Locks the keys that the rows of `from` have as `key`, until the transaction ends. Taken before keys are read or released,
 * in one order by everybody: whoever is about to mark a run as blocked by a key either sees the end of its holder or is
 * seen by it. What it reads itself was true before it had the locks: who holds a key is asked by a statement after it.
 */
export const lockKeysSql = (from: string): string => `select pg_advisory_xact_lock(hashtextextended(key, 7236011))
    from (select distinct key from ${from} order by key) sorted`;

const lockStatement = { name: 'lock keys of runs', text: lockKeysSql('unnest($1::text[]) as key') };

async function lockKeys(trx: Knex, keys: readonly string[]): Promise<void> {
  if (keys.length) await runPrepared(trx, lockStatement, [keys]);
}

const releaseStatement = {
  name: 'release waiting runs',
  text: `with next as (
      -- who does not hold the key itself goes on with all others
      (select w.id from unnest($1::text[]) key cross join lateral (
        select id from runs where blocked_on = key and status = 'pending' and not key = any (holds) for no key update skip locked) w)
      union all
      -- who holds it stands in line: the first goes on that may, since a run whose plugin is off would keep the others waiting
      (select w.id from unnest($1::text[]) key cross join lateral (
        select id from runs where blocked_on = key and status = 'pending' and key = any (holds) and kind = any ($2)
        order by id limit 1 for no key update skip locked) w)
    )
    update runs set blocked_on = null from next where runs.id = next.id returning runs.id`,
};

/** The keys that an end releases. A run that was blocked itself never had the place that others wait for. */
const releasedBy = ({ id, holds, was_blocked_on: blocked }: MovedRun): string[] => [
  runKey(id),
  ...(blocked ? [] : (holds as string[])),
];

/**
 * Makes those look again who waited for the ended runs; resolves to their number. Rows in other hands are skipped.
 * @param kinds that are on
 */
export async function releaseWaiters(trx: Knex, ended: readonly MovedRun[], kinds: readonly string[]): Promise<number> {
  const keys = ended.flatMap(releasedBy);
  await lockKeys(trx, keys);
  return (await runPrepared(trx, releaseStatement, [keys, kinds])).length;
}
