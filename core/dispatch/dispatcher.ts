import type { Knex } from 'knex';
import type { Bus } from '../queue/bus.ts';
import type { Queue } from '../queue/queue.ts';
import type { RunKinds } from '../runs/kinds.ts';
import type { LaunchDoor } from '../runs/start.ts';
import type { Statuses } from '../runs/status.ts';
import { type Applied, applyDecisions } from './apply.ts';
import { tellUnread } from './block.ts';
import { decide } from './decide.ts';
import { Look } from './look.ts';
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
 * Wakes during a look make one further look, however many they are.
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

  /** One look at the queue, to its end; resolves to whether another one may find more to do. */
  async runOnce(): Promise<boolean> {
    const { db } = this.#deps;
    const self = this.#self;
    const look = new Look();
    let more = false;
    let skips = false;
    for (let goOn = true; goOn && self === this.#self;) {
      // passes share the locks of the queue only for as long as they take
      // oxlint-disable-next-line no-await-in-loop
      const pass = await db.transaction((trx) => this.#pass(trx, self, look));
      this.#begin(pass.applied, self);
      goOn = pass.full;
      skips ||= pass.full;
      more ||= pass.more;
    }
    if (skips) await db.transaction((trx) => tellUnread(trx, this.#deps.kinds.names(), look));
    return more;
  }

  #begin({ assigned, undecided }: Applied, self: Self | undefined): void {
    for (const { id, instance } of assigned) if (instance === self?.instance) self.start(id);
    for (const update of undecided)
      // nobody waits for it: a launch that nobody decided about is reaped, and asked for again
      this.#deps.launch.decide(update).catch((error: unknown) => this.#failed(error, 'an update could not be started'));
  }

  async #pass(trx: Knex, self: Self | undefined, look: Look) {
    const situation = await loadSituation(trx, this.#deps.kinds.names(), look);
    const decisions = decide(situation, look);
    const applied = await applyDecisions(trx, { ...this.#deps, self: self?.instance }, decisions, situation);
    const full = situation.candidates.length === PASS_SIZE;
    // in other hands just now
    const missed = decisions.filter((decision) => decision.do === 'assign').length > applied.assigned.length;
    return { applied, full, more: applied.again || missed };
  }

  #tick(): void {
    const { db, kinds } = this.#deps;
    sweepQueue(db, kinds.names()).catch((error: unknown) =>
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
