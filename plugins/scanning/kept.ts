import { createHash } from 'node:crypto';

/** Answers that hold for a while, by what was asked; the oldest goes first. */
export class Kept<T> {
  readonly #values = new Map<string, { until: number; value: T }>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  find(asked: unknown, now: number): T | undefined {
    const found = this.#values.get(digest(asked));
    return found && found.until > now ? found.value : undefined;
  }

  keep(asked: unknown, until: number, value: T): void {
    const [oldest] = this.#values.keys();
    if (this.#values.size >= this.#most && oldest !== undefined) this.#values.delete(oldest);
    this.#values.set(digest(asked), { until, value });
  }
}

const digest = (asked: unknown) => createHash('sha256').update(JSON.stringify(asked)).digest('hex');
