import type { Knex } from 'knex';
import { z } from 'zod';
import { type Lanes, PLUGIN_TASKS_AT_ONCE } from './plugin-slots.ts';

/** Where the queue keeps its own tables. */
export const QUEUE_SCHEMA = 'tapline_jobs';

export interface TaskContext {
  /** aborts when the service stops */
  signal: AbortSignal;
  /** 1 at the first try */
  attempt: number;
}

export interface TaskDefinition<P = unknown> {
  schema: z.ZodType<P>;
  run(payload: P, context: TaskContext): Promise<void>;
  maxAttempts?: number;
  priority?: number;
  /** whose it is; tasks of plugins share a limited number of places per plugin */
  plugin?: string;
  /** tasks of one lane share a limited number of places beside all others; those of a plugin are in its own */
  lane?: string;
  /** places of its lane, unless it is a plugin's: as many as a plugin has where nothing is said */
  atOnce?: number;
  /** characters of a payload's JSON */
  largestPayload?: number;
}

export interface TaskRequest {
  name: string;
  payload: unknown;
  /** of tasks with the same key only the newest is in the queue */
  key?: string;
  /** not before so many seconds have passed */
  after_s?: number;
}

export const laneOf = ({ lane, plugin }: Pick<TaskDefinition, 'lane' | 'plugin'>): string | undefined => lane ?? plugin;

/** Tasks by name; payloads are checked when they are enqueued and again when they run. */
export class TaskRegistry {
  readonly #tasks = new Map<string, TaskDefinition>();

  define<P>(name: string, definition: TaskDefinition<P>): void {
    if (this.#tasks.has(name)) throw new Error(`task ${name} is defined twice`);
    this.#tasks.set(name, definition);
  }

  get(name: string): TaskDefinition {
    const task = this.#tasks.get(name);
    if (!task) throw new Error(`task ${name} is not defined`);
    return task;
  }

  /** How often a task is tried, and how early. */
  limitsOf(name: string): { maxAttempts: number; priority: number } {
    const { maxAttempts = 12, priority = 0 } = this.get(name);
    return { maxAttempts, priority };
  }

  names(): string[] {
    return [...this.#tasks.keys()];
  }

  /** Who has places of their own. */
  lanes(): Lanes {
    const lanes = new Map<string, number>();
    for (const task of this.#tasks.values()) {
      const lane = laneOf(task);
      if (lane !== undefined) lanes.set(lane, task.atOnce ?? PLUGIN_TASKS_AT_ONCE);
    }
    return lanes;
  }

  /** @throws when the payload is not what the task takes */
  check(name: string, payload: unknown): unknown {
    const result = this.get(name).schema.safeParse(payload);
    if (!result.success) throw new Error(`task ${name}: payload is not valid: ${z.prettifyError(result.error)}`);
    return result.data;
  }
}

/**
 * Enqueues inside the caller's transaction: what rolls back was never enqueued.
 * All of them go in one statement, and a payload that many tasks share goes once.
 */
export async function addTasks(trx: Knex, registry: TaskRegistry, requests: readonly TaskRequest[]): Promise<void> {
  if (!requests.length) return;
  const payloads = new SharedPayloads(registry);
  const specs = requests.map(({ name, payload, key = null, after_s: after = null }) => {
    const { maxAttempts, priority } = registry.limitsOf(name);
    const lane = laneOf(registry.get(name));
    return {
      name,
      payload: payloads.place(name, payload),
      attempts: maxAttempts,
      key,
      after,
      priority,
      flags: lane ? [lane] : null,
    };
  });
  await trx.raw(
    `select count(*) from ${QUEUE_SCHEMA}.add_jobs((
       select array_agg(row(s.name, p.payload, null, now() + s.after * interval '1 second', s.attempts, s.key, s.priority, s.flags)::${QUEUE_SCHEMA}.job_spec)
       from json_to_recordset(?::json) as s(name text, payload integer, attempts integer, key text, after float8, priority integer, flags text[])
       join json_array_elements(?::json) with ordinality as p(payload, place) on p.place = s.payload
     ), false)`,
    [JSON.stringify(specs), payloads.json()],
  );
}

/** Checks and serialises each payload once for each schema that it is meant for. */
class SharedPayloads {
  readonly #registry: TaskRegistry;
  readonly #texts: string[] = [];
  readonly #places = new Map<unknown, number>();
  readonly #checked = new Map<unknown, Set<unknown>>();

  constructor(registry: TaskRegistry) {
    this.#registry = registry;
  }

  /** 1 for the first, as Postgres counts */
  place(name: string, payload: unknown): number {
    const shared = typeof payload === 'object' && payload !== null;
    const known = shared ? this.#places.get(payload) : undefined;
    const { schema, largestPayload = Infinity } = this.#registry.get(name);
    const text = known === undefined ? serialise(name, payload) : this.#texts[known - 1]!;
    if (text.length > largestPayload)
      throw new Error(
        `task ${name}: payload has ${text.length} characters, ${largestPayload} is the limit: store the data and enqueue where it is`,
      );
    const schemas = this.#checked.get(payload) ?? new Set();
    // what will be run is what comes out of the queue: a Date would have become a text there
    if (!shared || !schemas.has(schema)) this.#registry.check(name, JSON.parse(text));
    if (known !== undefined) return known;
    const place = this.#texts.push(text);
    if (shared) {
      this.#places.set(payload, place);
      this.#checked.set(payload, schemas.add(schema));
    }
    return place;
  }

  json(): string {
    return `[${this.#texts.join(',')}]`;
  }
}

function serialise(name: string, payload: unknown): string {
  try {
    // without a payload it is {}, as the queue has it
    return JSON.stringify(payload ?? {}) ?? '{}';
  } catch (error) {
    throw new Error(`task ${name}: payload is not plain data: ${(error as Error).message}`, { cause: error });
  }
}
