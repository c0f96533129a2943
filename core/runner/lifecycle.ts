import { isUnavailable, type MovedRun, type RunRow, SpecError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isDatabaseAway } from '../db/database-errors.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { Queue } from '../queue/queue.ts';
import type { RunKinds } from '../runs/kinds.ts';
import { openVariables, textsIn } from '../secrets/secret-variables.ts';
import type { Statuses } from '../runs/status.ts';
import { claimRun, openPasswords, reloadRun, type StoredClaim } from './claim.ts';
import type { Executor, Handle } from './executor.ts';
import { finishRun } from './finish.ts';
import type { Ingest } from './ingest/ingest.ts';
import { NotStored, RunGone } from './ingest/retry.ts';
import { openMask, sealMask } from './launch-mask.ts';
import type { RunOutcome } from './outcome.ts';
import { isPassing, Patience } from './patience.ts';
import { sweepEnded } from './sweep.ts';

export interface LifecycleDeps {
  db: Knex;
  kinds: RunKinds;
  executor: Executor;
  ingest: Ingest;
  statuses: Statuses;
  hooks: Hooks;
  queue: Pick<Queue, 'addTasks'>;
  keyRing: KeyRing;
  log: {
    info(fields: object, text: string): void;
    warn(fields: object, text: string): void;
    error(fields: object, text: string): void;
  };
}

interface Followed {
  abort: AbortController;
  done: Promise<void>;
  handle?: Handle;
}

/** A run whose process exists. */
interface Begun {
  handle: Handle;
  secrets: string[];
  columns: Record<string, unknown>;
}

type Stored = Pick<RunRow, 'id' | 'kind'> & { columns?: Record<string, unknown> };

/**
 * A run from the moment it is assigned to this node until nothing of it is left: claim, prepare, start,
 * follow, finish. Whatever goes wrong on the way ends the run with an explanation, never the service.
 */
export class RunLifecycle {
  readonly #deps: LifecycleDeps;
  readonly #followed = new Map<number, Followed>();
  #instance: { id: number; hostname: string } | undefined;
  #stopped = false;
  #sweeping: Promise<void> | undefined;

  constructor(deps: LifecycleDeps) {
    this.#deps = deps;
  }

  /** Says which node this process is. */
  bind(node: { id: number; hostname: string }): void {
    this.#instance = node;
  }

  /** A run that is assigned to this node: begins it, or takes it up where a former process left it. */
  start(run: number): void {
    this.#track(run, async (entry) => {
      const { db, executor, kinds } = this.#deps;
      const claimed = await claimRun(db, run, {
        instance: this.#instance!.id,
        executor: executor.id,
        kinds: kinds.names(),
      });
      await (claimed ? this.#execute(claimed, entry) : this.#resume(run, entry));
    });
  }

  /** Asks the process to end; the run stays `running` until it has. */
  cancel(run: number): void {
    const { executor, log } = this.#deps;
    const handle = this.#followed.get(run)?.handle;
    if (!handle) return this.start(run);
    executor
      .cancel(handle)
      .catch((error: unknown) => log.warn({ err: error, run }, 'a cancel request was not delivered'));
  }

  /** At the start of this node: every run of it that has not ended, and what is left of those that have. */
  async adopt(): Promise<void> {
    for (const { id } of await this.ownRuns()) this.start(id);
    this.#standBy();
    this.#sweeping = sweepEnded(this.#deps).catch((error: unknown) =>
      this.#deps.log.warn({ err: error }, 'what ended runs left behind could not be looked for'),
    );
  }

  /** Those that are over or deleted though they are followed here: somebody ended them by force. Their processes end too. */
  async endForsaken(): Promise<void> {
    const followed = [...this.#followed].filter(([, { handle }]) => handle).map(([id]) => id);
    if (!followed.length) return;
    const going: number[] = await this.#deps
      .db('runs')
      .whereIn('id', followed)
      .whereIn('status', ['waiting', 'running'])
      .pluck('id');
    for (const id of followed) if (!going.includes(id)) this.cancel(id);
  }

  ownRuns(): Promise<{ id: number; canceled_on: string | null }[]> {
    return this.#deps
      .db('runs')
      .where({ instance_id: this.#instance!.id, needs: 'engine' })
      .whereIn('status', ['waiting', 'running'])
      .select('id', 'canceled_on');
  }

  /** Takes over runs of a dead node that this one can reach; resolves to those it cannot. */
  async adoptFrom(runs: readonly number[]): Promise<number[]> {
    const { db, executor } = this.#deps;
    const { id: instance_id, hostname } = this.#instance!;
    const reachable: number[] = [];
    for (const id of runs) if (await executor.recover(id).catch(() => null)) reachable.push(id);
    const own = { instance_id, execution_node: hostname, controller_node: hostname };
    if (reachable.length)
      await db('runs').whereIn('id', reachable).whereIn('status', ['waiting', 'running']).update(own);
    for (const id of reachable) this.start(id);
    return runs.filter((id) => !reachable.includes(id));
  }

  /** Stops following; the processes go on by themselves. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { abort } of this.#followed.values()) abort.abort();
    await Promise.allSettled([...this.#followed.values()].map(({ done }) => done));
    await this.#sweeping;
    this.#deps.executor.close();
  }

  #track(run: number, work: (entry: Followed) => Promise<void>): void {
    if (this.#stopped || this.#followed.has(run)) return;
    const entry: Followed = { abort: new AbortController(), done: Promise.resolve() };
    this.#followed.set(run, entry);
    entry.done = work(entry)
      .catch((error: unknown) => {
        if (!entry.abort.signal.aborted) this.#deps.log.error({ err: error, run }, 'a run is left for the next look');
      })
      .finally(() => this.#followed.delete(run));
  }

  async #execute(claimed: StoredClaim, entry: Followed): Promise<void> {
    const begun = await this.#begin(claimed);
    if (begun)
      await this.#go(
        { id: claimed.id, kind: claimed.kind, columns: begun.columns },
        begun.handle,
        begun.secrets,
        entry,
      );
  }

  /** Up to the engine's process. A run that cannot begin is ended here. */
  async #begin(claimed: StoredClaim): Promise<Begun | null> {
    const { executor, keyRing, kinds } = this.#deps;
    try {
      const run = openPasswords(keyRing, claimed);
      const prepared = await this.#persistently(
        `preparing run ${run.id}`,
        () => kinds.of(run.kind).prepare!(run),
        isNotOfTheRun,
      );
      const unstored = [...Object.values(run.passwords), ...(prepared.unstored ?? [])];
      const mask = sealMask(keyRing, run.id, unstored);
      const handle = await executor.start(prepared.spec, { mask });
      return {
        handle,
        secrets: [...prepared.secrets, ...unstored, ...textsIn(run.secretVariables)],
        columns: prepared.columns(handle.workspace),
      };
    } catch (error) {
      if (this.#stopped && isNotOfTheRun(error)) throw error;
      await this.#persistently(`ending run ${claimed.id}`, () => this.#endUnstarted(claimed, error));
      return null;
    }
  }

  #standBy(): void {
    this.#deps.executor
      .standBy()
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'nothing could be got ready for coming runs'));
  }

  async #endUnstarted(run: { id: number }, error: unknown): Promise<void> {
    const { db, statuses, log } = this.#deps;
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof SpecError) {
      await db.transaction((trx) => statuses.setStatus(trx, run, 'failed', { job_explanation: text }));
      return;
    }
    log.error({ err: error, run: run.id }, 'a run could not be started');
    const explanation = `The run could not be started: ${text}`;
    await db.transaction((trx) => statuses.setStatus(trx, run, 'error', { job_explanation: explanation }));
  }

  /** The process exists. From here on the run's end is the process's end. */
  async #go(run: Stored, handle: Handle, secrets: string[], entry: Followed): Promise<void> {
    const { db, executor, statuses } = this.#deps;
    entry.handle = handle;
    const record = () => db.transaction((trx) => statuses.setStatus(trx, run, 'running', { ...run.columns, handle }));
    const running = await this.#persistently(
      `recording the start of run ${run.id}`,
      async () => (await record()) ?? this.#recorded(run.id, handle),
    );
    this.#standBy();
    if (running) return this.#follow(running, handle, secrets, entry);
    // canceled, or given to another node, while it was being started
    await executor.cancel(handle);
    await executor.cleanup(handle);
  }

  /** Where an earlier try did record the start, and only the answer was lost with the connection. */
  async #recorded(id: number, handle: Handle): Promise<MovedRun | null> {
    const run = await reloadRun(this.#deps.db, id);
    const own = run?.status === 'running' && isDeepStrictEqual(run['handle'], JSON.parse(JSON.stringify(handle)));
    return own ? (run as never) : null;
  }

  async #follow(run: MovedRun, handle: Handle, secrets: string[], entry: Followed): Promise<void> {
    const { executor, ingest, kinds, log } = this.#deps;
    entry.handle = handle;
    const kind = kinds.find(run.kind);
    if (!kind) return this.#leave(run, handle);
    if (run['canceled_on'] !== null) await executor.cancel(handle);
    try {
      const outcome = await ingest.follow(run as never, handle, {
        secrets,
        signal: entry.abort.signal,
        traits: kind,
      });
      await this.#finish(run, handle, outcome);
    } catch (error) {
      if (error instanceof NotStored) return this.#giveUp(run, handle, error);
      if (!(error instanceof RunGone)) throw error;
      log.warn({ run: run.id }, 'a run was deleted while it ran; its process is ended');
    }
    await this.#clean(run, handle);
  }

  async #clean(run: { id: number }, handle: Handle): Promise<void> {
    const { executor, log } = this.#deps;
    await executor
      .cleanup(handle)
      .catch((error: unknown) => log.warn({ err: error, run: run.id }, 'a workspace could not be removed'));
  }

  /** What it says is refused by a database that is there: its process is ended, and then the run. */
  async #giveUp(run: MovedRun, handle: Handle, error: NotStored): Promise<void> {
    const { db, statuses, log } = this.#deps;
    log.error({ err: error, run: run.id }, 'what a run says cannot be stored; it is ended');
    await this.#clean(run, handle);
    await this.#persistently(`ending run ${run.id}`, async () => {
      const stored = await db('runs').where({ id: run.id }).first('event_count', 'stdout_offset');
      const explanation = stored && whatIsStored(stored, error.cause);
      await db.transaction((trx) => statuses.setStatus(trx, run, 'error', { job_explanation: explanation }));
    });
  }

  /** A result that the database refuses for good must not keep the run running for ever. */
  async #finish(run: MovedRun, handle: Handle, outcome: RunOutcome): Promise<void> {
    const { db, statuses, log } = this.#deps;
    try {
      await this.#persistently(`ending run ${run.id}`, () => finishRun(this.#deps, run, handle, outcome), isPassing);
    } catch (error) {
      if (this.#stopped) throw error;
      log.error({ err: error, run: run.id }, 'the result of a run could not be stored');
      const explanation = `The run ended as ${outcome.status}, but its result could not be stored.`;
      await this.#persistently(`ending run ${run.id}`, () =>
        db.transaction((trx) => statuses.setStatus(trx, run, 'error', { job_explanation: explanation })),
      );
    }
  }

  /** A run that somebody began before: its process is found again by its handle, or by its id where none was stored. */
  async #resume(id: number, entry: Followed): Promise<void> {
    const { db, executor, statuses } = this.#deps;
    const run = await reloadRun(db, id);
    if (!run || run['needs'] !== 'engine' || run.instance_id !== this.#instance?.id) return;
    if (run.status === 'running') {
      const handle = run['handle'] as Handle;
      return this.#follow(run as never, handle, await this.#secretsOf(run, handle), entry);
    }
    if (run.status !== 'waiting') return;
    const handle = await executor.recover(id);
    if (handle) return this.#go({ id, kind: run.kind }, handle, await this.#secretsOf(run, handle), entry);
    // claimed by a process that died before it started anything, and now nothing will be started by it
    await this.#persistently(`putting run ${id} back`, () =>
      db.transaction((trx) => statuses.setStatus(trx, run, run['canceled_on'] === null ? 'pending' : 'canceled')),
    );
  }

  /**
   * Its plugin is off: the process goes on by itself, and what it says waits in its folder for whoever knows how to read it,
   * and what of it is secret. It can be ended all the same.
   */
  async #leave(run: MovedRun, handle: Handle): Promise<void> {
    if (run.canceled_on === null) return;
    const { db, executor, statuses } = this.#deps;
    await executor.cancel(handle);
    await this.#clean(run, handle);
    await this.#persistently(`ending run ${run.id}`, () =>
      db.transaction((trx) => statuses.setStatus(trx, run, 'canceled')),
    );
  }

  /** Passwords, and what was looked up elsewhere, are in the mask of the handle alone. */
  async #secretsOf(run: StoredClaim, handle: Handle): Promise<string[]> {
    const { keyRing, kinds } = this.#deps;
    const ofKind = (await kinds.find(run.kind)?.secretsOf?.(run)) ?? [];
    return [...ofKind, ...textsIn(openVariables(keyRing, run)), ...openMask(keyRing, run.id, handle)];
  }

  /** The database may be away; a run is not lost for that. What it refuses though it is there is tried for a while only. */
  async #persistently<T>(
    what: string,
    work: () => Promise<T>,
    worthIt: (error: unknown) => boolean = () => true,
  ): Promise<T> {
    const patience = new Patience();
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (this.#stopped || !worthIt(error) || patience.isSpentBy(error)) throw error;
        this.#deps.log.warn({ err: error, attempt }, `${what} failed; it is tried again`);
        await sleep(Math.min(5000, 100 * 2 ** attempt));
      }
    }
  }
}

/** What is needed to prepare a run is not there at the moment, whatever the run is. */
const isNotOfTheRun = (error: unknown): boolean => isDatabaseAway(error) || isUnavailable(error);

/** Nothing of the error's own text: it may repeat what was to be stored. */
function whatIsStored(stored: { event_count: number; stdout_offset: number }, cause: unknown): string {
  const { code, name } = cause as { code?: string; name?: string };
  return (
    `The run was ended, because what it said or left could not be stored (${code ?? name}). ` +
    `Stored are ${stored.event_count} events and ${stored.stdout_offset} bytes of its output.`
  );
}

export const createRunLifecycle = (deps: LifecycleDeps): RunLifecycle => new RunLifecycle(deps);
