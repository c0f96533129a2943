import { inTime } from '@tapline/plugin-sdk';
import type { Log } from '../observe/log.ts';

const stepTimeoutMs = 15_000;
const late = () => new Error(`not done after ${stepTimeoutMs} ms`);

/** What was started, undone in reverse order; a step that fails or hangs does not keep the others from running. */
export class Shutdown {
  readonly #steps: { name: string; run: () => unknown }[] = [];
  #running: Promise<void> | null = null;
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  add(name: string, run: () => unknown): void {
    this.#steps.push({ name, run });
  }

  run(): Promise<void> {
    return (this.#running ??= this.#runAll());
  }

  async #runAll(): Promise<void> {
    for (const { name, run } of this.#steps.toReversed()) {
      try {
        // one after the other on purpose: a later step takes away what an earlier one still needs
        // oxlint-disable-next-line no-await-in-loop
        await inTime(run, { ms: stepTimeoutMs, late });
      } catch (err) {
        this.#log.warn({ err, step: name }, 'shutdown step failed');
      }
    }
  }
}
