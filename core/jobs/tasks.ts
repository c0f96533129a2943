import { z } from 'zod';

/** Where the queue keeps its own tables. */
export const QUEUE_SCHEMA = 'tapline_jobs';

export interface TaskDefinition<P = any> {
  schema: z.ZodType<P>;
  run: (payload: P, context: { signal: AbortSignal }) => Promise<void>;
  maxAttempts?: number;
  priority?: number;
}

export interface TaskRequest {
  name: string;
  payload: unknown;
}

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

  names(): string[] {
    return [...this.#tasks.keys()];
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
 * All of them go in one statement.
 */
export async function addTasks(trx: any, registry: TaskRegistry, requests: readonly TaskRequest[]): Promise<void> {
  if (!requests.length) return;
  const specs = requests.map(({ name, payload }) => {
    const { maxAttempts = 12, priority = 0 } = registry.get(name);
    return { identifier: name, payload: registry.check(name, payload), max_attempts: maxAttempts, priority };
  });
  await trx.raw(
    `select count(*) from ${QUEUE_SCHEMA}.add_jobs((
       select array_agg(row(s.identifier, s.payload, null, null, s.max_attempts, null, s.priority, null)::${QUEUE_SCHEMA}.job_spec)
       from json_to_recordset(?::json) as s(identifier text, payload json, max_attempts integer, priority integer)
     ), false)`,
    [JSON.stringify(specs)],
  );
}
