import type { Knex } from 'knex';
import { errorText } from '../db/error-text.ts';
import { cutText } from '../db/safe-text.ts';

interface Deps {
  db: Knex;
  log: { warn(fields: object, text: string): void };
}

/** What became of one task since it was last written down. */
interface Outcome {
  task: string;
  plugin: string;
  succeeded: boolean;
  /** since the last success */
  failures: number;
  /** one of them was the last try of its task */
  given_up: boolean;
  since: string;
  latest: string;
  error: string;
}

const everyMs = 2000;
const longestError = 500;

/**
 * How tasks of plugins end, on the way into the database: any node may be asked how a plugin is. Gathered, so that tasks
 * which succeed cost one statement in two seconds, however many they are.
 */
export class TaskOutcomes {
  readonly #deps: Deps;
  #waiting = new Map<string, Outcome>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  succeeded(plugin: string, task: string): void {
    this.#put({ task, plugin, succeeded: true, failures: 0, given_up: false, since: '', latest: '', error: '' });
  }

  failed(plugin: string, task: string, { error, lastTry }: { error: unknown; lastTry: boolean }): void {
    const before = this.#waiting.get(task);
    const latest = new Date().toISOString();
    this.#put({
      task,
      plugin,
      succeeded: before?.succeeded ?? false,
      failures: (before?.failures ?? 0) + 1,
      given_up: lastTry || (before?.given_up ?? false),
      since: before?.since || latest,
      latest,
      error: cutText(errorText(error), longestError),
    });
  }

  /** Resolves once everything that was there has been written, or given up. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#writing;
    if (!this.#waiting.size) return;
    const outcomes = [...this.#waiting.values()];
    this.#waiting = new Map();
    this.#writing = this.#write(outcomes);
    return this.#writing;
  }

  #put(outcome: Outcome): void {
    this.#waiting.set(outcome.task, outcome);
    this.#timer ??= setTimeout(() => void this.flush(), everyMs).unref();
  }

  async #write(outcomes: readonly Outcome[]): Promise<void> {
    const { db, log } = this.#deps;
    const succeeded = outcomes.filter((outcome) => outcome.succeeded).map(({ task }) => task);
    const failed = outcomes.filter(({ failures }) => failures > 0);
    try {
      if (succeeded.length) await db('failing_tasks').whereIn('task', succeeded).delete();
      if (failed.length) await noteFailed(db, failed);
    } catch (err) {
      log.warn({ err }, 'how tasks of plugins ended could not be written');
    }
  }
}

/** In the order of their names, so that two nodes never wait for each other in a circle. */
const noteFailed = (db: Knex, outcomes: readonly Outcome[]) =>
  db.raw(
    `insert into failing_tasks as f (task, plugin, failures, given_up, since, latest, error)
     select task, plugin, failures, given_up, since, latest, error
     from jsonb_to_recordset(?::jsonb) as o(task text, plugin text, failures integer, given_up boolean, since timestamptz, latest timestamptz, error text)
     order by task
     on conflict (task) do update set failures = f.failures + excluded.failures,
       given_up = f.given_up or excluded.given_up, latest = excluded.latest, error = excluded.error`,
    [JSON.stringify(outcomes)],
  );
