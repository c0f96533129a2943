import type { WorkTools } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../../observe/log.ts';
import type { Doors } from '../../../rbac/doors.ts';
import type { RunKinds } from '../../../runs/kinds.ts';

export interface CleanupDeps {
  db: Knex;
  log: Pick<Log, 'warn'>;
  doors: Doors;
  kinds: Pick<RunKinds, 'all'>;
}

/** What one is told: by its launch, or by default. */
export interface CleanupOptions {
  days: number;
  /** only counts */
  dry: boolean;
  /** rows of one transaction */
  batch: number;
}

export type CleanupTools = Pick<WorkTools, 'signal' | 'write'>;

/** Removes what is old, in batches, and says what. Begun anew it goes on with what is left. */
export type Cleanup = (deps: CleanupDeps, options: CleanupOptions, tools: CleanupTools) => Promise<string>;

/** `1 session`, `2 sessions`; of several words the last one counts. */
export const counted = (count: number, one: string): string =>
  `${count} ${count === 1 ? one : one.endsWith('y') ? `${one.slice(0, -1)}ies` : `${one}s`}`;

/** Said now and again, so that a long one shows that it goes on. */
const sayEveryMs = 5_000;

/** What came of one batch; `found` counts those that stay as well. */
export interface Batch {
  found: number;
  removed: number;
}

/**
 * Repeats what removes at most so many rows, until it finds none any more. Between two of them others get their turn, and
 * a cancel is heard.
 */
export async function inBatches(
  { signal, write }: CleanupTools,
  what: string,
  removeSome: () => Promise<Batch>,
): Promise<number> {
  let removed = 0;
  let said = Date.now();
  for (;;) {
    signal.throwIfAborted();
    const began = performance.now();
    // one after the other on purpose: each holds its locks for a moment only
    // oxlint-disable-next-line no-await-in-loop
    const batch = await removeSome();
    if (!batch.found) return removed;
    removed += batch.removed;
    // as long again: whoever waits for an answer has the machine half of the time
    // oxlint-disable-next-line no-await-in-loop
    await delay(performance.now() - began);
    if (Date.now() - said < sayEveryMs) continue;
    said = Date.now();
    // oxlint-disable-next-line no-await-in-loop
    await write(`${counted(removed, what)} removed so far\n`);
  }
}
