import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventEmitter } from 'node:events';
import {
  Logger,
  parseCronItems,
  run,
  runMigrations,
  type CronItem,
  type Job,
  type Runner,
  type RunnerOptions,
  type TaskList,
  type WorkerPool,
} from 'graphile-worker';
import type { Knex } from 'knex';
import type { Pool } from 'pg';
import { errorText } from '../db/error-text.ts';
import { foundNone, foundOne, idleMs, lookForDueTasks } from './due-tasks.ts';
import { freeLocks } from './free-locks.ts';
import { type ParkedTasks, parkedTasks } from './parked.ts';
import { patientPool } from './patient-pool.ts';
import { placesForLanes, PluginSlots } from './plugin-slots.ts';
import type { TaskOutcomes } from './task-outcomes.ts';
import { addTasks, laneOf, QUEUE_SCHEMA, TaskRegistry, type TaskDefinition, type TaskRequest } from './tasks.ts';

export interface QueueDeps {
  pool: Pool;
  log: {
    info(fields: object, text: string): void;
    warn(fields: object, text: string): void;
    error(fields: object, text: string): void;
    debug(fields: object, text: string): void;
  };
  /** stands for this process in the list of pools, see core/nodes/queue-locks.ts */
  bootId?: string;
  concurrency?: number;
  /** told how each task of a plugin ended */
  outcomes?: Pick<TaskOutcomes, 'failed' | 'succeeded'>;
}

/**
 * Short background tasks on graphile-worker: it keeps them in Postgres, so a task can be enqueued in the
 * transaction that makes it necessary, and it starts one within milliseconds. Playbooks do not run in it:
 * its locks end after four hours.
 */
class TaskQueue {
  readonly bootId: string;
  readonly #deps: QueueDeps;
  readonly #registry = new TaskRegistry();
  readonly #crons: CronItem[] = [];
  readonly #stopping = new AbortController();
  #pools: string[] = [];
  #runner: Runner | undefined;
  #watching: Promise<void> | undefined;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
    this.bootId = deps.bootId ?? randomUUID();
  }

  define<P>(name: string, definition: TaskDefinition<P>): void {
    this.#registry.define(name, definition);
  }

  /** Housekeeping by the minute; user schedules have their own table. */
  cron(item: CronItem): void {
    this.#crons.push(item);
  }

  addTask(trx: Knex, name: string, payload: unknown): Promise<void> {
    return addTasks(trx, this.#registry, [{ name, payload }]);
  }

  addTasks(trx: Knex, requests: readonly TaskRequest[]): Promise<void> {
    return addTasks(trx, this.#registry, requests);
  }

  /** Tasks in the database that this service does not know. */
  parked(db: Knex): Promise<ParkedTasks[]> {
    return parkedTasks(db, { names: this.#registry.names() });
  }

  /** The queue's own tables; before anything may be enqueued, on web nodes too. */
  migrate(): Promise<void> {
    return runMigrations({ pgPool: this.#deps.pool, schema: QUEUE_SCHEMA });
  }

  async start(): Promise<void> {
    this.#runner = await this.#run();
    this.#watching = this.#keepRunning();
  }

  /** Waits for running tasks; those that ignore their signal are given up after 5 s. */
  async stop(): Promise<void> {
    const { pool, log } = this.#deps;
    this.#stopping.abort();
    await this.#runner?.stop().catch((error: unknown) => log.warn({ err: error }, 'the queue did not stop cleanly'));
    await this.#watching;
    try {
      // what the library could not hand back before its end: nobody would find its locks without the note
      await this.#freeLocks();
      await pool.query('delete from queue_pools where boot_id = $1', [this.bootId]);
    } catch (error) {
      log.warn({ err: error }, 'the queue could not give back its locks; that waits until this process counts as dead');
    }
  }

  isRunning(): boolean {
    return this.#runner !== undefined;
  }

  async #run(): Promise<Runner> {
    const { pool, log, outcomes, concurrency = 4 } = this.#deps;
    const lanes = this.#registry.lanes();
    let workers: Pick<WorkerPool, 'nudge'> | undefined;
    // only this node left out what it had no places for; others were told of it when it was enqueued
    // once the worker that found it out is idle again: else a second one would look beside it
    const look = () => workers?.nudge(1);
    const slots = new PluginSlots(lanes, () => void setImmediate(look));
    const events = new EventEmitter();
    const endLooking = lookForDueTasks(events, look);
    for (const end of [foundOne, ...foundNone]) events.on(end, () => slots.fetched());
    // the pool's id is what its locks carry: they are found by its note alone, so nothing is taken before that is there
    let noting: Promise<void> | undefined;
    events.on('pool:create', ({ workerPool }) => {
      workers = workerPool;
      this.#pools.push(workerPool.id);
      noting = this.#notePool(workerPool.id).then(() => (noting = undefined));
    });
    events.on('pool:gracefulShutdown', () => (workers = undefined));
    events.on('job:error', ({ job, error }) => this.#noteFailure(job, error.cause ?? error));
    events.on('job:success', ({ job }) => {
      const { plugin } = this.#registry.get(job.task_identifier);
      if (plugin) outcomes?.succeeded(plugin, job.task_identifier);
    });
    const options: RunnerOptions = {
      pgPool: patientPool(pool),
      schema: QUEUE_SCHEMA,
      concurrency: concurrency + placesForLanes(lanes),
      forbiddenFlags: () => (noting ? noting.then(() => slots.forbidden()) : slots.forbidden()),
      noHandleSignals: true,
      events: events as never,
      logger: quietLogger(log),
      taskList: this.#taskList(slots),
      parsedCronItems: parseCronItems(this.#crons.map((item) => this.#asDefined(item))),
      pollInterval: idleMs,
    };
    const forget = () => {
      endLooking();
      forgetOptions(options, events);
    };
    try {
      const runner = await run(options);
      runner.promise.then(forget, forget);
      return runner;
    } catch (error) {
      forget();
      throw error;
    }
  }

  /** Until it is noted, or nothing is taken any more. */
  async #notePool(id: string): Promise<void> {
    const { pool, log } = this.#deps;
    const { signal } = this.#stopping;
    for (let noted = false; !noted && !signal.aborted;)
      try {
        await pool.query(notedSql, [id, this.bootId]);
        noted = true;
      } catch (error) {
        log.warn({ err: error }, 'the queue could not note its pool, and takes no task before it has');
        await sleep(noteAgainMs, undefined, { signal }).catch(() => undefined);
      }
  }

  #noteFailure({ task_identifier: task, attempts: attempt, max_attempts: of }: Job, err: unknown): void {
    const { plugin } = this.#registry.get(task);
    this.#deps.log.warn({ task, ...(plugin ? { plugin } : {}), attempt, of, err }, 'task failed');
    // what the stop of the service cut short says nothing of the plugin
    if (plugin && !this.#stopping.signal.aborted)
      this.#deps.outcomes?.failed(plugin, task, { error: err, lastTry: attempt >= of });
  }

  /** The queue's clock knows nothing of tasks: by itself it would try each 25 times. */
  #asDefined(item: CronItem): CronItem {
    const { maxAttempts, priority } = this.#registry.limitsOf(item.task);
    return { ...item, options: { maxAttempts, priority, ...item.options } };
  }

  #taskList(slots: PluginSlots): TaskList {
    const task =
      (name: string): TaskList[string] =>
      async (payload, { abortSignal, job }) => {
        const definition = this.#registry.get(name);
        const { run: work } = definition;
        const context = { signal: abortSignal ?? this.#stopping.signal, attempt: job.attempts };
        try {
          await slots.run(laneOf(definition), async () =>
            work(this.#registry.check(name, withoutClock(payload)), context),
          );
        } catch (error) {
          // the queue stores the text; one that Postgres refuses would end the whole queue
          throw new TaskError(errorText(error), { cause: error });
        }
      };
    return Object.fromEntries(this.#registry.names().map((name) => [name, task(name)]));
  }

  /**
   * Of runners that ended: what they had begun would wait for four hours.
   * @throws while there is no database
   */
  async #freeLocks(): Promise<void> {
    const { pool } = this.#deps;
    await freeLocks((sql, values) => pool.query(sql, values), this.#pools);
    this.#pools = [];
  }

  /** A runner may end by itself: it is started again. */
  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; failures += 1) {
      const began = Date.now();
      try {
        if (!this.#runner) await this.#freeLocks();
        this.#runner ??= await this.#run();
        await this.#runner.promise;
      } catch (error) {
        this.#deps.log.error({ err: error }, 'the queue stopped; it is started again');
      }
      this.#runner = undefined;
      if (Date.now() - began > 60_000) failures = 0;
      await sleep(Math.min(10_000, 250 * 2 ** failures), undefined, { signal }).catch(() => undefined);
    }
  }
}

export type Queue = Pick<
  TaskQueue,
  'bootId' | 'define' | 'cron' | 'addTask' | 'addTasks' | 'parked' | 'migrate' | 'start' | 'stop' | 'isRunning'
>;

class TaskError extends Error {
  override name = 'TaskError';
}

/** A plain object, so that whoever measures or guards it can put a function of its own in place of one. */
export function createQueue(deps: QueueDeps): Queue {
  const queue = new TaskQueue(deps);
  return {
    bootId: queue.bootId,
    define: (name, definition) => queue.define(name, definition),
    cron: (item) => queue.cron(item),
    addTask: (trx, name, payload) => queue.addTask(trx, name, payload),
    addTasks: (trx, requests) => queue.addTasks(trx, requests),
    parked: (db) => queue.parked(db),
    migrate: () => queue.migrate(),
    start: () => queue.start(),
    stop: () => queue.stop(),
    isRunning: () => queue.isRunning(),
  };
}

/** The clock adds the time at which a periodic task was due; no schema knows of it. */
function withoutClock(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || !('_cron' in payload)) return payload;
  const { _cron, ...rest } = payload;
  return rest;
}

/**
 * The library remembers the options of every runner for ever, and with them went all that its tasks refer to. What a task that did not
 * end in time says after that is not heard.
 */
function forgetOptions(options: RunnerOptions, events: EventEmitter): void {
  events.removeAllListeners();
  for (const held of [options.taskList, options] as Record<string, unknown>[])
    for (const key of Object.keys(held)) delete held[key];
}

const notedSql = 'insert into queue_pools (id, boot_id) values ($1, $2) on conflict do nothing';
const noteAgainMs = 500;

const quietLogger = (log: QueueDeps['log']) =>
  new Logger(() => (level, message, meta) => {
    // that a task failed is told in our own words
    if (meta?.['failure']) return;
    // of more places than connections: a place has one only while it fetches a task and writes down its end
    if (meta?.['concurrency'] !== undefined) return;
    if (level === 'error' || level === 'warning') log.warn({ component: 'queue', err: meta?.['error'] }, message);
    else log.debug({ component: 'queue' }, message);
  });
