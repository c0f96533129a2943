import { type ClaimedRun, isUnavailable, type RunStatus, type WorkResult } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { z } from 'zod';
import { isDatabaseAway } from '../../db/database-errors.ts';
import type { Bus } from '../../queue/bus.ts';
import type { Queue } from '../../queue/queue.ts';
import { QUEUE_SCHEMA } from '../../queue/tasks.ts';
import type { RunKinds } from '../../runs/kinds.ts';
import { isTerminal } from '../../runs/states.ts';
import type { Statuses } from '../../runs/status.ts';
import { RUN_TASK, runTask } from '../../runs/task-request.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { textsIn } from '../../secrets/secret-variables.ts';
import { openPasswords, reloadRun, type StoredClaim } from '../claim.ts';
import { createMasker } from '../ingest/mask.ts';
import { isPassing } from '../patience.ts';
import { endOutput, writeOutput } from './task-output.ts';

export interface TaskRunDeps {
  db: Knex;
  bus: Bus;
  kinds: RunKinds;
  statuses: Statuses;
  queue: Pick<Queue, 'define' | 'addTasks'>;
  keyRing: KeyRing;
  log: { error(fields: object, text: string): void };
}

type End = Required<Pick<WorkResult, 'explanation'>> & { status: RunStatus; columns?: Record<string, unknown> };

/** Passes on that a service stops in the middle of the work: the queue gives the task to another one. */
const tries = 100;
/** between two looks whether the plugin of a run is on again */
const putOffSeconds = 5;

/**
 * Runs that are carried out by a task of the queue (`needs: 'task'`). The queue outlives the service: where a process
 * dies in the middle, another one takes the task, and the work is done anew; whatever else goes wrong ends the run.
 */
export class TaskRuns {
  readonly #deps: TaskRunDeps;
  readonly #underway = new Map<number, AbortController>();
  #instance: { id: number; hostname: string } | undefined;

  constructor(deps: TaskRunDeps) {
    this.#deps = deps;
  }

  /** Says which node this process is. */
  bind(node: { id: number; hostname: string }): void {
    this.#instance = node;
  }

  /** Before the queue starts. */
  define(): void {
    this.#deps.queue.define(RUN_TASK, {
      schema: z.object({ run: z.int().positive() }),
      maxAttempts: tries,
      run: ({ run }, { signal, attempt }) => this.#carryOut(run, { signal, attempt }),
    });
  }

  /** Asks the work to end; false where it is not done by this process. */
  cancel(run: number): boolean {
    const controller = this.#underway.get(run);
    controller?.abort(new Error('canceled'));
    return controller !== undefined;
  }

  /** Messages may be lost: cancels that were asked for meanwhile are read again. */
  async look(): Promise<void> {
    const ids = [...this.#underway.keys()];
    if (!ids.length) return;
    const canceled = await this.#deps.db('runs').whereIn('id', ids).whereNotNull('canceled_on').pluck('id');
    for (const id of canceled) this.cancel(id);
  }

  /** A run whose task the queue has given up, or lost with a backup, would run for ever. */
  async endLost(): Promise<void> {
    const { db, statuses } = this.#deps;
    const lost = await db('runs')
      .where({ needs: 'task' })
      .whereIn('status', ['waiting', 'running'])
      .whereNotExists(
        db(`${QUEUE_SCHEMA}.jobs as j`)
          .select(db.raw('1'))
          .whereRaw(`j.key = 'run:' || runs.id and j.attempts <= j.max_attempts`),
      )
      .pluck('id');
    const job_explanation = 'The run was lost: the queue has no task for it any more.';
    if (lost.length)
      await db.transaction((trx) =>
        statuses.setStatuses(
          trx,
          'error',
          lost.map((id) => ({ id, fields: { job_explanation } })),
        ),
      );
  }

  async #carryOut(id: number, { signal, attempt }: { signal: AbortSignal; attempt: number }): Promise<void> {
    const run = await this.#begin(id);
    if (!run) return;
    const controller = new AbortController();
    this.#underway.set(id, controller);
    try {
      if (run.canceled_on !== null) controller.abort(new Error('canceled'));
      const end = await this.#work(run, { stop: signal, canceled: controller.signal, attempt });
      await endOutput(this.#deps, run);
      await this.#end(run, end);
    } finally {
      this.#underway.delete(id);
    }
  }

  /** The run as this process carries it out; null where it is over, was canceled, or is of a kind that is off. */
  async #begin(id: number): Promise<ClaimedRun | null> {
    const { db, keyRing, kinds, statuses } = this.#deps;
    const stored = await reloadRun(db, id);
    if (!stored || isTerminal(stored.status)) return null;
    if (!kinds.find(stored.kind)) {
      await this.#putOff(stored);
      return null;
    }
    const run = openPasswords(keyRing, stored);
    const place = this.#instance
      ? {
          instance_id: this.#instance.id,
          execution_node: this.#instance.hostname,
          controller_node: this.#instance.hostname,
        }
      : {};
    if (stored.status === 'waiting') {
      const moved = await db.transaction((trx) => statuses.setStatus(trx, stored, 'running', place));
      return moved && { ...run, ...moved };
    }
    await db('runs')
      .where({ id })
      .update({ modified: db.fn.now(), ...place });
    return run;
  }

  /** Its plugin is off: the run waits until that is on again, or is cancelled. */
  async #putOff(run: StoredClaim): Promise<void> {
    const { db, queue, statuses } = this.#deps;
    if (run.canceled_on !== null) await db.transaction((trx) => statuses.setStatus(trx, run, 'canceled'));
    else if (run.status === 'waiting') await db.transaction((trx) => statuses.setStatus(trx, run, 'pending'));
    else await queue.addTasks(db, [{ ...runTask(run), after_s: putOffSeconds }]);
  }

  async #work(
    run: ClaimedRun,
    { stop, canceled, attempt }: { stop: AbortSignal; canceled: AbortSignal; attempt: number },
  ): Promise<End> {
    const { kinds, log } = this.#deps;
    const masker = createMasker([...Object.values(run.passwords), ...textsIn(run.secretVariables)]);
    const timeout = run.timeout > 0 ? AbortSignal.timeout(run.timeout * 1000) : undefined;
    const signal = AbortSignal.any([stop, canceled, ...(timeout ? [timeout] : [])]);
    const over = (): End | undefined =>
      canceled.aborted
        ? { status: 'canceled', explanation: 'The run was canceled.' }
        : timeout?.aborted
          ? { status: 'failed', explanation: `The run took longer than its timeout of ${run.timeout} s and was ended.` }
          : undefined;
    try {
      signal.throwIfAborted();
      const write = (text: string) => writeOutput(this.#deps, run, masker.text(text));
      const result = (await kinds.of(run.kind).work!(run, { signal, attempt, write })) ?? {};
      const { explanation = '' } = result;
      return over() ?? { status: 'successful', ...result, explanation: masker.text(explanation) };
    } catch (error) {
      const end = over();
      if (end) return end;
      // done anew by whoever takes the task next
      if (stop.aborted || isDatabaseAway(error) || isUnavailable(error)) throw error;
      log.error({ err: error, run: run.id }, 'the work of a run failed');
      return { status: 'error', explanation: masker.text(error instanceof Error ? error.message : String(error)) };
    }
  }

  async #end(run: ClaimedRun, { status, explanation, columns = {} }: End): Promise<void> {
    const { db, statuses, log } = this.#deps;
    const explanations = [run.job_explanation, explanation].filter(Boolean).join('\n');
    const end = (to: RunStatus, fields: Record<string, unknown>) =>
      db.transaction((trx) => statuses.setStatus(trx, run, to, fields));
    try {
      await end(status, { ...columns, job_explanation: explanations });
    } catch (error) {
      // else the whole work would be done again, for as often as the queue gives the task out
      if (isPassing(error)) throw error;
      log.error({ err: error, run: run.id }, 'the result of a run could not be stored');
      await end('error', { job_explanation: `The work ended as ${status}, but its result could not be stored.` });
    }
  }
}

export const createTaskRuns = (deps: TaskRunDeps): TaskRuns => new TaskRuns(deps);
