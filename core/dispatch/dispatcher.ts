import type { Knex } from 'knex';
import type { Bus } from '../jobs/bus.ts';
import type { Statuses } from '../jobs/status.ts';
import { applyDecisions } from './apply.ts';
import { decide } from './decide.ts';
import { loadCandidates, loadSurroundings, lockTemplates } from './situation.ts';
import { sweepQueue } from './sweep.ts';

export interface DispatcherDeps {
  db: Knex;
  bus: Bus;
  statuses: Statuses;
  log: { error(fields: object, text: string): void };
  slowTickMs?: number;
}

/** Passes of all nodes go one after the other; the lock ends with the transaction. */
const DISPATCH_LOCK = 7_236_010;

/**
 * pending → waiting. Woken by the launch of this process directly, by NOTIFY from others, and by a slow
 * tick in case a message was lost. Wakes during a pass make one further pass, however many they are.
 */
export function createDispatcher({ db, bus, statuses, log, slowTickMs = 5000 }: DispatcherDeps) {
  let self: { instance: number; start: (run: number) => void } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let unlisten: (() => void) | undefined;
  let busy: Promise<void> | undefined;
  let again = false;
  /** launched by this process: whichever comes first, the direct call or the NOTIFY, makes the pass */
  const known = new Set<number>();
  const heard = new Set<number>();

  async function pass(): Promise<boolean> {
    const { assigned, more } = await db.transaction(async (trx) => {
      await trx.raw('select pg_advisory_xact_lock(?)', [DISPATCH_LOCK]);
      const candidates = await loadCandidates(trx);
      if (!candidates.length) return { assigned: [], more: false };
      const templates = await lockTemplates(trx, candidates);
      const { active, nodes } = await loadSurroundings(trx, templates);
      const decisions = decide({ candidates, active, nodes, now: Date.now() });
      const applied = await applyDecisions(trx, { statuses, bus, self: self?.instance }, decisions, candidates, active);
      // waiting for capacity is no progress: those stay where they are
      const moved = decisions.some((decision) => decision.do !== 'wait');
      return { assigned: applied.assigned, more: applied.again || (moved && candidates.length > 1) };
    });
    for (const { run, instance } of assigned) if (instance === self?.instance) self.start(run);
    return more;
  }

  async function work(): Promise<void> {
    do {
      again = false;
      try {
        if (await pass()) again = true;
      } catch (error) {
        log.error({ err: error }, 'a dispatch pass failed; the next tick tries again');
      }
    } while (again && self);
  }

  function wake(run?: number): void {
    if (!self) return;
    if (run !== undefined) {
      if (heard.delete(run)) return;
      known.add(run);
    }
    look();
  }

  function look(): void {
    again = true;
    busy ??= work().finally(() => {
      busy = undefined;
    });
  }

  const onMessage = ({ run }: { run?: number }) => {
    if (run !== undefined) {
      if (known.delete(run)) return;
      heard.add(run);
    }
    if (self) look();
  };

  return {
    /** `start` is called for runs that were assigned to this node. */
    start(node: { instance: number; start: (run: number) => void }): void {
      self = node;
      unlisten = bus.on('dispatch', onMessage);
      timer = setInterval(() => {
        void sweepQueue(db).catch((error: unknown) => log.error({ err: error }, 'the pending runs could not be looked over'));
        known.clear();
        heard.clear();
        look();
      }, slowTickMs);
      wake();
    },
    async stop(): Promise<void> {
      self = undefined;
      clearInterval(timer);
      unlisten?.();
      await busy;
    },
    wake,
    /** One pass, for tests and for whoever must know that it has happened. */
    runOnce: pass,
  };
}

export type Dispatcher = ReturnType<typeof createDispatcher>;
