import type { Knex } from 'knex';
import { setTimeout as sleep } from 'node:timers/promises';
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
import { prepareRun, secretsOf } from './prepare.ts';
import { SpecError } from './spec-error.ts';

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
  log: { info(fields: object, text: string): void; warn(fields: object, text: string): void; error(fields: object, text: string): void };
}

interface Followed {
  abort: AbortController;
  done: Promise<void>;
  handle?: Handle;
}

/**
 * A run from the moment it is assigned to this node until nothing of it is left: claim, prepare, start,
 * follow, finish. Whatever goes wrong on the way ends the run with an explanation, never the service.
 */
export function createRunLifecycle(deps: LifecycleDeps) {
  const { db, executor, statuses, log } = deps;
  const followed = new Map<number, Followed>();
  let instance: { id: number; hostname: string } | undefined;
  let stopped = false;

  function track(run: number, work: (entry: Followed) => Promise<void>): void {
    if (stopped || followed.has(run)) return;
    const entry: Followed = { abort: new AbortController(), done: Promise.resolve() };
    followed.set(run, entry);
    entry.done = work(entry)
      .catch((error: unknown) => {
        if (!entry.abort.signal.aborted) log.error({ err: error, run }, 'a run is left for the next look');
      })
      .finally(() => followed.delete(run));
  }

  async function execute(run: number, entry: Followed): Promise<void> {
    const claimed = await claimRun(db, run, instance!.id, executor.id);
    if (!claimed) return resume(run, entry);
    const { handle, secrets } = await begin(claimed);
    if (handle) await go(claimed, handle, secrets, entry);
  }

  /** Up to the engine's process. A run that cannot begin is ended here and has no handle. */
  async function begin(claimed: ClaimedRun): Promise<{ handle: Handle | null; secrets: string[] }> {
    try {
      const prepared = await prepareRun(deps, claimed);
      const handle = await executor.start(prepared.spec);
      claimed.columns = prepared.columns(handle.workspace);
      return { handle: { ...handle, mask: sealMask(deps.keyRing, claimed.id, prepared.launchSecrets) }, secrets: prepared.secrets };
    } catch (error) {
      await persistently(`ending run ${claimed.id}`, () => endUnstarted(claimed, error));
      return { handle: null, secrets: [] };
    }
  }

  async function endUnstarted(run: { id: number }, error: unknown): Promise<void> {
    const expected = error instanceof SpecError;
    if (!expected) log.error({ err: error, run: run.id }, 'a run could not be started');
    const text = error instanceof Error ? error.message : String(error);
    await db.transaction((trx) => expected
      ? statuses.setStatus(trx, run, 'failed', { job_explanation: text })
      : statuses.setStatus(trx, run, 'error', { job_explanation: `The run could not be started: ${text}` }));
  }

  /** The process exists. From here on the run's end is the process's end. */
  async function go(run: ClaimedRun | MovedRun, handle: Handle, secrets: string[], entry: Followed): Promise<void> {
    const { id } = run;
    entry.handle = handle;
    const running = await persistently(`recording the start of run ${id}`, () => db.transaction(async (trx) => {
      const row = await statuses.setStatus(trx, run, 'running', { ...(run as ClaimedRun).columns, handle });
      if (row) await trx('run_secrets').where({ run_id: id }).delete();
      return row;
    }));
    if (!running) {
      // canceled, or given to another node, while it was being started
      await executor.cancel(handle);
      return executor.cleanup(handle);
    }
    await follow(running, handle, secrets, entry);
  }

  async function follow(run: MovedRun, handle: Handle, secrets: string[], entry: Followed): Promise<void> {
    entry.handle = handle;
    if (run['canceled_on'] !== null) await executor.cancel(handle);
    const outcome = await deps.ingest.follow(run as never, handle, { secrets, signal: entry.abort.signal });
    await persistently(`ending run ${run.id}`, () => finishRun(deps, run, handle, outcome));
    await executor.cleanup(handle).catch((error: unknown) => log.warn({ err: error, run: run.id }, 'a workspace could not be removed'));
  }

  /** A run that somebody began before: its process is found again by its handle, or by its id where none was stored. */
  async function resume(id: number, entry: Followed): Promise<void> {
    const run = await reloadRun(db, id);
    if (!run || run['instance_id'] !== instance?.id) return;
    const stored = run['handle'] as Handle | null;
    if (run['status'] === 'running') {
      return follow(run as never, stored!, [...(await secretsOf(deps, run)), ...openMask(deps.keyRing, id, stored)], entry);
    }
    if (run['status'] !== 'waiting') return;
    const handle = await executor.recover(id);
    if (handle) return go(run as never, handle, await secretsOf(deps, run), entry);
    // claimed by a process that died before it started anything, and now nothing will be started by it
    await persistently(`putting run ${id} back`, () => db.transaction((trx) => statuses.setStatus(trx, run, 'pending')));
  }

  /** The database may be away; a run is not lost for that. */
  async function persistently<T>(what: string, work: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (stopped) throw error;
        log.warn({ err: error, attempt }, `${what} failed; it is tried again`);
        await sleep(Math.min(5000, 100 * 2 ** attempt));
      }
    }
  }

  return {
    bind: (node: { id: number; hostname: string }) => void (instance = node),
    start: (run: number) => track(run, (entry) => execute(run, entry)),
    /** Asks the process to end; the run stays `running` until it has. */
    cancel(run: number): void {
      const handle = followed.get(run)?.handle;
      if (handle) void executor.cancel(handle).catch((error: unknown) => log.warn({ err: error, run }, 'a cancel request was not delivered'));
      else track(run, (entry) => resume(run, entry));
    },
    /** At the start of this node: every run of it that has not ended. */
    async adopt(): Promise<void> {
      const runs = await db('runs').where({ instance_id: instance!.id }).whereIn('status', ['waiting', 'running']).select('id', 'handle');
      for (const { id, handle } of runs) track(id, (entry) => (handle === null ? execute(id, entry) : resume(id, entry)));
    },
    /** Takes over runs of a dead node that this one can reach; resolves to those it cannot. */
    async adoptFrom(runs: readonly number[]): Promise<number[]> {
      const left: number[] = [];
      for (const id of runs) {
        if (!(await executor.recover(id).catch(() => null))) {
          left.push(id);
          continue;
        }
        await db('runs').where({ id }).whereIn('status', ['waiting', 'running']).update({ instance_id: instance!.id, execution_node: instance!.hostname, controller_node: instance!.hostname });
        track(id, (entry) => resume(id, entry));
      }
      return left;
    },
    /** Stops following; the processes go on by themselves. */
    async stop(): Promise<void> {
      stopped = true;
      for (const { abort } of followed.values()) abort.abort();
      await Promise.allSettled([...followed.values()].map(({ done }) => done));
    },
    active: () => [...followed.keys()],
  };
}

export type RunLifecycle = ReturnType<typeof createRunLifecycle>;
