import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventEmitter } from 'node:events';
import { Logger, parseCronItems, run, runMigrations, type CronItem, type Runner, type TaskList } from 'graphile-worker';
import type { Pool } from 'pg';
import { addTasks, QUEUE_SCHEMA, TaskRegistry, type TaskDefinition, type TaskRequest } from './tasks.ts';

export interface QueueDeps {
  pool: Pool;
  log: { info(fields: object, text: string): void; warn(fields: object, text: string): void; error(fields: object, text: string): void; debug(fields: object, text: string): void };
  /** stands for this process in the list of pools, see core/dispatch/dead-nodes.ts */
  bootId?: string;
  concurrency?: number;
}

/**
 * Short background tasks on graphile-worker: it keeps them in Postgres, so a task can be enqueued in the
 * transaction that makes it necessary, and it starts one within milliseconds. Playbooks do not run in it:
 * its locks end after four hours.
 */
export function createQueue({ pool, log, bootId = randomUUID(), concurrency = 4 }: QueueDeps) {
  const registry = new TaskRegistry();
  const crons: CronItem[] = [];
  const stopping = new AbortController();
  let runner: Runner | undefined;
  let watching: Promise<void> | undefined;

  const taskList = (): TaskList =>
    Object.fromEntries(registry.names().map((name) => [name, async (payload, helpers) => {
      const { abortSignal } = helpers;
      await registry.get(name).run(registry.check(name, payload), { signal: abortSignal ?? stopping.signal });
    }]));

  const startRunner = async (): Promise<Runner> => {
    const events = new EventEmitter();
    // the pool's id is what its locks carry: noted before it can take the first one
    events.on('pool:create', ({ workerPool }) => void notePool(pool, workerPool.id, bootId).catch((error: unknown) => log.warn({ err: error }, 'queue pool not noted')));
    events.on('job:error', ({ job, error }) => log.warn({ task: job.task_identifier, attempt: job.attempts, err: error }, 'task failed'));
    return run({
      pgPool: pool, schema: QUEUE_SCHEMA, concurrency, noHandleSignals: true, events: events as never,
      logger: quietLogger(log), taskList: taskList(), parsedCronItems: parseCronItems(crons), pollInterval: 2000,
    });
  };

  /** A runner may end by itself (a database error while completing a task): it is started again. */
  const keepRunning = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted; failures += 1) {
      const began = Date.now();
      try {
        runner ??= await startRunner();
        await runner.promise;
      } catch (error) {
        log.error({ err: error }, 'the queue stopped; it is started again');
      }
      runner = undefined;
      if (Date.now() - began > 60_000) failures = 0;
      await sleep(Math.min(10_000, 250 * 2 ** failures), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };

  return {
    bootId,
    define: <P>(name: string, definition: TaskDefinition<P>) => registry.define(name, definition),
    /** Housekeeping by the minute; user schedules have their own table. */
    cron: (item: CronItem) => void crons.push(item),
    addTask: (trx: any, name: string, payload: unknown) => addTasks(trx, registry, [{ name, payload }]),
    addTasks: (trx: any, requests: readonly TaskRequest[]) => addTasks(trx, registry, requests),
    /** The queue's own tables; before anything may be enqueued, on web nodes too. */
    migrate: () => runMigrations({ pgPool: pool, schema: QUEUE_SCHEMA }),
    async start(): Promise<void> {
      runner = await startRunner();
      watching = keepRunning();
    },
    /** Waits for running tasks; those that ignore their signal are given up after 5 s. */
    async stop(): Promise<void> {
      stopping.abort();
      await runner?.stop().catch((error: unknown) => log.warn({ err: error }, 'the queue did not stop cleanly'));
      await watching;
      await pool.query('delete from queue_pools where boot_id = $1', [bootId]).catch(() => undefined);
    },
    isRunning: () => runner !== undefined,
  };
}

export type Queue = ReturnType<typeof createQueue>;

async function notePool(pool: Pool, id: string, bootId: string): Promise<void> {
  await pool.query('insert into queue_pools (id, boot_id) values ($1, $2) on conflict do nothing', [id, bootId]);
}

const quietLogger = (log: QueueDeps['log']) =>
  new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log.warn({ component: 'queue' }, message);
    else log.debug({ component: 'queue' }, message);
  });
