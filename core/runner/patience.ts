import { isDatabaseAway } from '../db/database-errors.ts';

/**
 * Deadlock, serialisation, a lock that was not had in time, a server that is being replaced or whose disk is full: nothing
 * of what was sent.
 */
const passing = new Set(['40001', '40P01', '55P03', '25006', '53100']);

/** Trying again helps, however long it takes. */
export const isPassing = (error: unknown): boolean =>
  isDatabaseAway(error) || passing.has(String((error as { code?: string } | null)?.code));

const fewestTries = 6;
export const GIVE_UP_AFTER_MS = 30_000;

/** How long something is tried again that fails although the database is there. */
export class Patience {
  readonly #ms: number;
  #tries = 0;
  #since = 0;

  constructor(ms = GIVE_UP_AFTER_MS) {
    this.#ms = ms;
  }

  /** It worked. */
  renew(): void {
    this.#tries = this.#since = 0;
  }

  /** After a failure: is it time to give up? */
  isSpentBy(error: unknown): boolean {
    if (isPassing(error)) return false;
    this.#since ||= performance.now();
    this.#tries += 1;
    return this.#tries >= fewestTries && performance.now() - this.#since >= this.#ms;
  }
}
