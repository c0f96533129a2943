import type { Knex } from 'knex';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway } from '../app/database-errors.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { Queue } from '../jobs/queue.ts';
import type { MovedRun, Statuses } from '../jobs/status.ts';
import type { Settings } from '../settings/settings.ts';
import { claimRun, reloadRun, type ClaimedRun } from './claim.ts';
import type { EngineTool } from './engine-tool.ts';
import type { Executor, Handle } from './executor.ts';
import { finishRun } from './finish.ts';
import type { Ingest } from './ingest/ingest.ts';
import { openMask, sealMask } from './launch-mask.ts';
import type { RunOutcome } from './outcome.ts';
import { prepareRun, secretsOf } from './prepare.ts';
import { SpecError } from './spec-error.ts';
import { sweepEnded } from './sweep.ts';

export interface LifecycleDeps {
  config: { dataDir: string };
  db: Knex;
  executor: Executor;
  engineTool: EngineTool;
  ingest: Ingest;
  statuses: Statuses;
  hooks: Hooks;
  queue: Pick<Queue, 'addTasks'>;
  keyRing: KeyRing;
  settings: Settings;
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

type Stored = ClaimedRun | MovedRun;

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
      const { db, executor } = this.#deps;
      const claimed = await claimRun(db, run, this.#instance!.id, executor.id);
      await (claimed ? this.#execute(claimed, entry) : this.#resume(run, entry));
    });
  }

  /** A run that was claimed for this process when it was assigned. */
  begin(run: ClaimedRun): void {
    this.#track(run.id, (entry) => this.#execute(run, entry));
  }

  /** Whose claims this process makes. */
  get executor(): string {
    return this.#deps.executor.id;
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

  ownRuns(): Promise<{ id: number; canceled_on: string | null }[]> {
    return this.#deps
      .db('runs')
      .where({ instance_id: this.#instance!.id })
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

  active(): number[] {
    return [...this.#followed.keys()];
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

  async #execute(claimed: ClaimedRun, entry: Followed): Promise<void> {
    const begun = await this.#begin(claimed);
    if (begun) await this.#go(claimed, begun.handle, begun.secrets, entry);
  }

  /** Up to the engine's process. A run that cannot begin is ended here. */
  async #begin(claimed: ClaimedRun): Promise<{ handle: Handle; secrets: string[] } | null> {
    const { executor, keyRing } = this.#deps;
    try {
      const prepared = await this.#persistently(
        `preparing run ${claimed.id}`,
        () => prepareRun(this.#deps, claimed),
        isDatabaseAway,
      );
      const handle = await executor.start(prepared.spec);
      claimed.columns = prepared.columns(handle.workspace);
      return {
        handle: { ...handle, mask: sealMask(keyRing, claimed.id, prepared.launchSecrets) },
        secrets: prepared.secrets,
      };
    } catch (error) {
      if (this.#stopped && isDatabaseAway(error)) throw error;
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
    const record = () =>
      db.transaction((trx) => statuses.setStatus(trx, run, 'running', { ...(run as ClaimedRun).columns, handle }));
    const running = await this.#persistently(`recording the start of run ${run.id}`, record);
    this.#standBy();
    if (running) return this.#follow(running, handle, secrets, entry);
    // canceled, or given to another node, while it was being started
    await executor.cancel(handle);
    await executor.cleanup(handle);
  }

  async #follow(run: MovedRun, handle: Handle, secrets: string[], entry: Followed): Promise<void> {
    const { executor, ingest, log } = this.#deps;
    entry.handle = handle;
    if (run['canceled_on'] !== null) await executor.cancel(handle);
    const outcome = await ingest.follow(run as never, handle, { secrets, signal: entry.abort.signal });
    await this.#finish(run, handle, outcome);
    await executor
      .cleanup(handle)
      .catch((error: unknown) => log.warn({ err: error, run: run.id }, 'a workspace could not be removed'));
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
    const { db, executor, keyRing, statuses } = this.#deps;
    const run = await reloadRun(db, id);
    if (!run || run['instance_id'] !== this.#instance?.id) return;
    if (run['status'] === 'running') {
      const handle = run['handle'] as Handle;
      const secrets = [...(await secretsOf(this.#deps, run)), ...openMask(keyRing, id, handle)];
      return this.#follow(run as never, handle, secrets, entry);
    }
    if (run['status'] !== 'waiting') return;
    const handle = await executor.recover(id);
    if (handle) return this.#go(run, handle, await secretsOf(this.#deps, run), entry);
    // claimed by a process that died before it started anything, and now nothing will be started by it
    await this.#persistently(`putting run ${id} back`, () =>
      db.transaction((trx) => statuses.setStatus(trx, run, run['canceled_on'] === null ? 'pending' : 'canceled')),
    );
  }

  /** The database may be away; a run is not lost for that. */
  async #persistently<T>(
    what: string,
    work: () => Promise<T>,
    worthIt: (error: unknown) => boolean = () => true,
  ): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (this.#stopped || !worthIt(error)) throw error;
        this.#deps.log.warn({ err: error, attempt }, `${what} failed; it is tried again`);
        await sleep(Math.min(5000, 100 * 2 ** attempt));
      }
    }
  }
}

/** Away, or two transactions that met (deadlock, serialisation): trying again helps. */
const isPassing = (error: unknown) =>
  isDatabaseAway(error) || ['40001', '40P01'].includes(String((error as { code?: string }).code));

export const createRunLifecycle = (deps: LifecycleDeps): RunLifecycle => new RunLifecycle(deps);
