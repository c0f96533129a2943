import type { Knex } from 'knex';
import { errorText } from '../db/error-text.ts';
import type { TapRecord } from './guard.ts';

interface Deps {
  db: Knex;
  node: string;
  log: { warn(fields: object, text: string): void };
}

const everyMs = 1000;
/** Written early when so many wait. */
const batch = 500;
/** More are left out while the database does not keep up: traces must never cost a launch its memory or time. */
const mostWaiting = 10_000;

type Row = Record<string, string | number | null>;

/** Traces of taps on their way into the database: gathered, and written off the way of launches and jobs. */
export class TraceWriter {
  readonly #deps: Deps;
  #waiting: Row[] = [];
  #left = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  add({ hook, plugin, tap, run, attempt, result, milliseconds, error }: TapRecord): void {
    if (this.#waiting.length >= mostWaiting) {
      this.#left += 1;
      return;
    }
    const created = new Date().toISOString();
    const text = error === undefined ? '' : errorText(error);
    this.#waiting.push({ created, hook, plugin, tap, run_id: run, result, milliseconds, attempt, error: text });
    if (this.#waiting.length >= batch) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), everyMs).unref();
  }

  /** Resolves once everything that was there has been written, or given up. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#writing;
    if (!this.#waiting.length) return this.#writing;
    const rows = this.#waiting;
    this.#waiting = [];
    this.#writing = this.#write(rows);
    return this.#writing;
  }

  async #write(rows: Row[]): Promise<void> {
    const { db, node, log } = this.#deps;
    const left = this.#left;
    this.#left = 0;
    if (left) log.warn({ left }, 'traces of hook taps came faster than they could be written; some are left out');
    try {
      await db.raw(
        `insert into hook_traces (created, hook, plugin, tap, run_id, result, milliseconds, attempt, error, node)
         select t.created, t.hook, t.plugin, t.tap, t.run_id, t.result, t.milliseconds, t.attempt, t.error, ?
         from jsonb_to_recordset(?::jsonb) as t(created timestamptz, hook text, plugin text, tap text, run_id bigint,
              result text, milliseconds real, attempt integer, error text)`,
        [node, JSON.stringify(rows)],
      );
    } catch (err) {
      log.warn({ err, rows: rows.length }, 'traces of hook taps could not be written; they are left out');
    }
  }
}
