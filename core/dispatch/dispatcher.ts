import type { Knex } from 'knex';
import type { Bus } from '../jobs/bus.ts';
import type { Statuses } from '../jobs/status.ts';
import type { ClaimedRun } from '../runner/claim.ts';
import { type Applied, applyDecisions } from './apply.ts';
import { decide } from './decide.ts';
import { loadSituation, PASS_SIZE } from './situation.ts';
import { sweepQueue } from './sweep.ts';

export interface DispatcherDeps {
  db: Knex;
  bus: Bus;
  statuses: Statuses;
  log: { error(fields: object, text: string): void };
  slowTickMs?: number;
}

interface Self {
  instance: number;
  executor: string;
  /** called for runs that were assigned to this node, and so claimed */
  begin: (run: ClaimedRun) => void;
}

/**
 * pending → waiting. Woken by the launch of this process directly, by NOTIFY from others, and by a slow
 * tick in case a message was lost. Wakes during a pass make one further pass, however many they are.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  #self: Self | undefined;
  #timer: NodeJS.Timeout | undefined;
  #unlisten: (() => void)[] = [];
  #busy: Promise<void> | undefined;
  #again = false;
  /** launched by this process: whichever comes first, the direct call or the NOTIFY, makes the pass */
  readonly #known = new Set<number>();
  readonly #heard = new Set<number>();

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
  }

  start(self: Self): void {
    const { bus, slowTickMs = 5000 } = this.#deps;
    this.#self = self;
    this.#unlisten = [
      bus.on('dispatch', (message) => this.#receive(message)),
      // messages were lost with the connection
      bus.on('reconnected', () => this.#look()),
    ];
    this.#timer = setInterval(() => this.#tick(), slowTickMs);
    this.#look();
  }

  async stop(): Promise<void> {
    this.#self = undefined;
    clearInterval(this.#timer);
    for (const stop of this.#unlisten.splice(0)) stop();
    await this.#busy;
  }

  /** A run of this process is pending. */
  wake(run?: number): void {
    if (run !== undefined) {
      if (this.#heard.delete(run)) return;
      this.#known.add(run);
    }
    this.#look();
  }

  /** One pass; resolves to whether another one may find more to do. */
  async runOnce(): Promise<boolean> {
    const self = this.#self;
    const { assigned, more } = await this.#deps.db.transaction((trx) => this.#pass(trx, self));
    for (const run of assigned) if (run.instance_id === self?.instance) self.begin(run);
    return more;
  }

  async #pass(trx: Knex, self: Self | undefined): Promise<{ assigned: Applied['assigned']; more: boolean }> {
    const { statuses, bus } = this.#deps;
    const { candidates, active, nodes } = await loadSituation(trx);
    if (!candidates.length) return { assigned: [], more: false };
    const decisions = decide({ candidates, active, nodes, now: Date.now() });
    const applied = await applyDecisions(trx, { statuses, bus, self }, decisions, candidates, active);
    // the rest of a longer queue; waiting for capacity is no progress: those stay where they are
    const rest = candidates.length === PASS_SIZE && decisions.some((decision) => decision.do !== 'wait');
    // in other hands just now
    const missed = decisions.filter((decision) => decision.do === 'assign').length > applied.assigned.length;
    return { assigned: applied.assigned, more: applied.again || rest || missed };
  }

  #receive({ run }: { run?: number }): void {
    if (run !== undefined) {
      if (this.#known.delete(run)) return;
      this.#heard.add(run);
    }
    this.#look();
  }

  #tick(): void {
    const { db, log } = this.#deps;
    sweepQueue(db).catch((error: unknown) => log.error({ err: error }, 'the pending runs could not be looked over'));
    this.#known.clear();
    this.#heard.clear();
    this.#look();
  }

  #look(): void {
    if (!this.#self) return;
    this.#again = true;
    this.#busy ??= this.#work().finally(() => {
      this.#busy = undefined;
      // woken after the last look and before this line
      if (this.#again) this.#look();
    });
  }

  async #work(): Promise<void> {
    while (this.#again && this.#self) {
      this.#again = false;
      try {
        if (await this.runOnce()) this.#again = true;
      } catch (error) {
        this.#deps.log.error({ err: error }, 'a dispatch pass failed; the next tick tries again');
      }
    }
  }
}

export const createDispatcher = (deps: DispatcherDeps): Dispatcher => new Dispatcher(deps);
