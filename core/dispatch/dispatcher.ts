import type { Knex } from 'knex';
import type { Bus } from '../queue/bus.ts';
import type { Queue } from '../queue/queue.ts';
import type { RunKinds } from '../runs/kinds.ts';
import type { LaunchDoor } from '../runs/start.ts';
import type { Statuses } from '../runs/status.ts';
import { type Applied, applyDecisions } from './apply.ts';
import { decide } from './decide.ts';
import { loadSituation, PASS_SIZE } from './situation.ts';
import { sweepQueue } from './sweep.ts';

export interface DispatcherDeps {
  db: Knex;
  bus: Bus;
  kinds: RunKinds;
  statuses: Statuses;
  launch: Pick<LaunchDoor, 'insert' | 'decide'>;
  queue: Pick<Queue, 'addTasks'>;
  log: { error(fields: object, text: string): void };
  slowTickMs?: number;
}

interface Self {
  instance: number;
  /** called for runs that were assigned to this node */
  start: (run: number) => void;
}

/**
 * pending → waiting. Woken by NOTIFY, of a launch or of an end, and by a slow tick in case a message was lost.
 * Wakes during a pass make one further pass, however many they are.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  #self: Self | undefined;
  #timer: NodeJS.Timeout | undefined;
  #unlisten: (() => void)[] = [];
  #busy: Promise<void> | undefined;
  #again = false;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
  }

  start(self: Self): void {
    const { bus, slowTickMs = 5000 } = this.#deps;
    this.#self = self;
    this.#unlisten = [
      bus.on('dispatch', () => this.#look()),
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

  /** One pass; resolves to whether another one may find more to do. */
  async runOnce(): Promise<boolean> {
    const { db, launch } = this.#deps;
    const self = this.#self;
    const { applied, more } = await db.transaction((trx) => this.#pass(trx, self));
    for (const { id, instance } of applied.assigned) if (instance === self?.instance) self.start(id);
    for (const update of applied.undecided)
      // nobody waits for it: a launch that nobody decided about is reaped, and asked for again
      launch.decide(update).catch((error: unknown) => this.#failed(error, 'an update could not be started'));
    return more;
  }

  async #pass(trx: Knex, self: Self | undefined): Promise<{ applied: Applied; more: boolean }> {
    const situation = await loadSituation(trx, this.#deps.kinds.names());
    const decisions = decide(situation);
    const applied = await applyDecisions(trx, { ...this.#deps, self: self?.instance }, decisions, situation);
    // the rest of a longer queue; waiting for capacity is no progress: those stay where they are
    const rest = situation.candidates.length === PASS_SIZE && decisions.some((decision) => decision.do !== 'wait');
    // in other hands just now
    const missed = decisions.filter((decision) => decision.do === 'assign').length > applied.assigned.length;
    return { applied, more: applied.again || rest || missed };
  }

  #tick(): void {
    sweepQueue(this.#deps.db).catch((error: unknown) =>
      this.#failed(error, 'the pending runs could not be looked over'),
    );
    this.#look();
  }

  #failed(err: unknown, text: string): void {
    this.#deps.log.error({ err }, text);
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
        this.#failed(error, 'a dispatch pass failed; the next tick tries again');
      }
    }
  }
}

export const createDispatcher = (deps: DispatcherDeps): Dispatcher => new Dispatcher(deps);
