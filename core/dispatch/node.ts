import type { Knex } from 'knex';
import type { Bus } from '../queue/bus.ts';
import type { Statuses } from '../runs/status.ts';
import type { RunLifecycle } from '../runner/lifecycle.ts';
import type { TaskRuns } from '../runner/tasks/task-runs.ts';
import { measureMachine } from '../nodes/identity.ts';
import { createJudgement } from '../nodes/judgement.ts';
import type { Membership } from '../nodes/membership.ts';
import { endDeadNodes } from './dead-nodes.ts';
import type { Dispatcher } from './dispatcher.ts';
import { reapUndecided } from '../runs/reaper.ts';

export interface NodeDeps {
  db: Knex;
  membership: Pick<Membership, 'equip' | 'follow' | 'hasPlace'>;
  bus: Bus;
  statuses: Statuses;
  dispatcher: Pick<Dispatcher, 'start' | 'stop'>;
  runLifecycle: RunLifecycle;
  taskRuns: TaskRuns;
  engineTool: { engine(): Promise<{ version: string }> };
  log: {
    warn(fields: object, text: string): void;
    error(fields: object, text: string): void;
  };
  tickMs?: number;
}

const LOOK_FAILED = 'the runs of this node could not be looked over';

/** A node that carries out runs: what it does for its own, and an eye on what other nodes leave behind. */
export class Node {
  readonly #deps: NodeDeps;
  #timer: NodeJS.Timeout | undefined;
  readonly #unlisten: (() => void)[] = [];
  readonly #mayJudge = createJudgement();
  #instance: { id: number; hostname: string } | undefined;

  constructor(deps: NodeDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { bus, dispatcher, membership, runLifecycle, taskRuns, tickMs = 2000 } = this.#deps;
    const instance = await this.#equip();
    this.#instance = instance;
    runLifecycle.bind(instance);
    taskRuns.bind(instance);
    this.#unlisten.push(
      bus.on('node', ({ instance: id, run, what }) => {
        if (id !== instance.id) return;
        if (what === 'start') this.#begin(run);
        else if (!taskRuns.cancel(run)) runLifecycle.cancel(run);
      }),
    );
    this.#unlisten.push(bus.on('reconnected', () => this.#attempt(LOOK_FAILED, () => this.look())));
    await runLifecycle.adopt();
    await endDeadNodes(this.#deps, instance.id);
    dispatcher.start({ instance: instance.id, start: (run) => this.#begin(run) });
    this.#unlisten.push(membership.follow(() => this.beat()));
    this.#timer = setInterval(() => this.#attempt(LOOK_FAILED, () => this.look()), tickMs);
  }

  /** Runs go on: whoever serves as this node next takes them up again. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    for (const stop of this.#unlisten.splice(0)) stop();
    await this.#deps.dispatcher.stop();
    await this.#deps.runLifecycle.stop();
  }

  /** After each heartbeat of this node. */
  async beat(): Promise<void> {
    await reapUndecided(this.#deps.db);
    await this.#deps.taskRuns.endLost();
    if (this.#mayJudge()) await endDeadNodes(this.#deps, this.#instance!.id);
  }

  /** Messages may be lost with the connection that carries them, so their meaning is read again. */
  async look(): Promise<void> {
    const { membership, runLifecycle, taskRuns } = this.#deps;
    await taskRuns.look();
    // whoever serves in place of this process looks after them
    if (!membership.hasPlace) return;
    for (const { id, canceled_on: canceled } of await runLifecycle.ownRuns()) {
      if (canceled === null) runLifecycle.start(id);
      else runLifecycle.cancel(id);
    }
    await runLifecycle.endForsaken();
  }

  /** What is assigned to the node is assigned to the process that serves as it. */
  #begin(run: number): void {
    const { membership, runLifecycle } = this.#deps;
    if (membership.hasPlace) runLifecycle.start(run);
  }

  async #equip(): Promise<{ id: number; hostname: string }> {
    const { engineTool, log, membership } = this.#deps;
    const engine = await engineTool.engine().then(
      ({ version }) => version,
      (error: unknown) => {
        log.error({ err: error }, 'no usable engine: runs assigned to this node will end with an error');
        return '';
      },
    );
    return membership.equip({ ...(await measureMachine()), engine });
  }

  #attempt(failure: string, work: () => Promise<unknown>): void {
    work().catch((error: unknown) => this.#deps.log.warn({ err: error }, failure));
  }
}

export const createNode = (deps: NodeDeps): Node => new Node(deps);
