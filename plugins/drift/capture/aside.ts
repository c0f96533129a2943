import { Tinypool } from 'tinypool';
import type { Packed } from '../facts/content.ts';
import type { Digests } from '../facts/digests.ts';
import type { History, Sources } from './history.ts';

const idleMs = 10_000;

const isTooMuch = (err: unknown) => (err as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';

/**
 * Facts are read, sorted, hashed, packed and compared in a thread of their own, one host at a time, so that requests go on
 * meanwhile. It starts with the first host, and ends when there was nothing to do for a while.
 */
export class Aside {
  readonly #resourceLimits: { maxOldGenerationSizeMb: number; maxYoungGenerationSizeMb: number };
  #pool: Tinypool | undefined;
  #latest: Promise<unknown> = Promise.resolve();

  /** Facts of 5 MB take some 100 MB on the way. */
  constructor({ memoryMb = 512 } = {}) {
    this.#resourceLimits = { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 };
  }

  /** What is too much for the memory of the thread is left out; it must not hold up other hosts. */
  async historyOf(sources: Sources): Promise<History> {
    try {
      return await this.#started().run(sources, { name: 'historyOf' });
    } catch (err) {
      if (!isTooMuch(err)) throw err;
      const why = 'facts could not be captured';
      const { steps } = sources.plan.chain;
      return { snapshots: [], leftOut: steps.map(({ hash, run_id: run }) => ({ hash, run, why, err })) };
    }
  }

  /** What the facts of each of these snapshots say; undefined for one that alone is too much for the memory of the thread. */
  async digestsOf(all: readonly Packed[]): Promise<(Digests | undefined)[]> {
    try {
      return await this.#started().run(all, { name: 'digestsOfMany' });
    } catch (err) {
      if (!isTooMuch(err)) throw err;
      if (all.length === 1) return [undefined];
    }
    const each: (Digests | undefined)[] = [];
    // together they would be too much again
    // oxlint-disable-next-line no-await-in-loop
    for (const one of all) each.push(...(await this.digestsOf([one])));
    return each;
  }

  #started(): Tinypool {
    this.#pool ??= new Tinypool({
      filename: new URL('./thread.ts', import.meta.url).href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      resourceLimits: this.#resourceLimits,
      // nothing from outside is needed
      env: {},
    });
    return this.#pool;
  }

  /** One portion of hosts after the other: there is one thread, and each of them would hold a connection until its turn. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#latest.then(work, work);
    this.#latest = mine.catch(() => undefined);
    return mine;
  }

  async end(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.destroy();
  }
}
