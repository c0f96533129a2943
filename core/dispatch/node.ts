import type { Knex } from 'knex';
import type { Bus } from '../jobs/bus.ts';
import type { Statuses } from '../jobs/status.ts';
import type { RunLifecycle } from '../runner/lifecycle.ts';
import { cpuCapacity, memoryCapacity, totalCapacity } from './capacity.ts';
import { endDeadNodes, freeLocksOf } from './dead-nodes.ts';
import type { Dispatcher } from './dispatcher.ts';
import { measureMachine, nodeUuid } from './identity.ts';
import { reapUndecided } from './reaper.ts';

export interface NodeDeps {
  config: { dataDir: string; nodeName: string; version: string; roles: readonly string[] };
  db: Knex;
  bus: Bus;
  statuses: Statuses;
  dispatcher: Pick<Dispatcher, 'start' | 'stop'>;
  runLifecycle: RunLifecycle;
  engineTool: { engine(): Promise<{ version: string }> };
  queue: { bootId: string };
  log: {
    info(fields: object, text: string): void;
    warn(fields: object, text: string): void;
    error(fields: object, text: string): void;
  };
  heartbeatMs?: number;
  tickMs?: number;
}

const LOOK_FAILED = 'the runs of this node could not be looked over';

/** This process as a member of the cluster: its row, its heartbeat, its runs, and an eye on the other nodes. */
export class Node {
  readonly #deps: NodeDeps;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #unlisten: (() => void)[] = [];
  instance: { id: number; hostname: string } | undefined;

  constructor(deps: NodeDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { bus, dispatcher, runLifecycle, heartbeatMs = 5000, tickMs = 2000 } = this.#deps;
    const instance = await register(this.#deps);
    this.instance = instance;
    runLifecycle.bind(instance);
    this.#unlisten.push(
      bus.on('node', ({ instance: id, run, what }) => {
        if (id !== instance.id) return;
        if (what === 'cancel') runLifecycle.cancel(run);
        else runLifecycle.start(run);
      }),
    );
    this.#unlisten.push(bus.on('reconnected', () => this.#attempt(LOOK_FAILED, () => this.look())));
    await runLifecycle.adopt();
    await endDeadNodes(this.#deps, instance.id);
    dispatcher.start({
      instance: instance.id,
      executor: runLifecycle.executor,
      begin: (run) => runLifecycle.begin(run),
    });
    this.#every(heartbeatMs, 'heartbeat failed', () => this.beat());
    this.#every(tickMs, LOOK_FAILED, () => this.look());
  }

  /** Runs go on: whoever serves as this node next takes them up again. */
  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    for (const stop of this.#unlisten.splice(0)) stop();
    await this.#deps.dispatcher.stop();
    await this.#deps.runLifecycle.stop();
  }

  async beat(): Promise<void> {
    const { db, log, queue } = this.#deps;
    const { id, hostname } = this.instance!;
    const alive = await db('instances').where({ id, boot_id: queue.bootId }).update({ last_seen: db.fn.now() });
    if (!alive) {
      const remedy = 'give each node its own TAPLINE_NODE_NAME and data folder';
      log.error({ node: hostname }, `another process took over the name of this node; ${remedy}`);
    }
    await reapUndecided(db);
    await endDeadNodes(this.#deps, id);
  }

  /** Messages may be lost with the connection that carries them, so their meaning is read again. */
  async look(): Promise<void> {
    const { runLifecycle } = this.#deps;
    for (const { id, canceled_on: canceled } of await runLifecycle.ownRuns()) {
      if (canceled === null) runLifecycle.start(id);
      else runLifecycle.cancel(id);
    }
  }

  #every(ms: number, failure: string, work: () => Promise<unknown>): void {
    this.#timers.push(setInterval(() => this.#attempt(failure, work), ms));
  }

  #attempt(failure: string, work: () => Promise<unknown>): void {
    work().catch((error: unknown) => this.#deps.log.warn({ err: error }, failure));
  }
}

export const createNode = (deps: NodeDeps): Node => new Node(deps);

async function register({ config, db, engineTool, queue, log }: NodeDeps): Promise<{ id: number; hostname: string }> {
  const { cpu, memory } = await measureMachine();
  const engine = await engineTool.engine().then(
    ({ version }) => version,
    (error: unknown) => {
      log.error({ err: error }, 'no usable engine: runs assigned to this node will end with an error');
      return '';
    },
  );
  const capacity = { cpu: cpuCapacity(cpu), memory: memoryCapacity(memory) };
  const uuid = nodeUuid(config.dataDir, config.nodeName);
  const now = db.fn.now();
  const columns = {
    hostname: config.nodeName,
    uuid,
    boot_id: queue.bootId,
    version: config.version,
    engine,
    cpu,
    memory,
    roles: [...config.roles],
    cpu_capacity: capacity.cpu,
    mem_capacity: capacity.memory,
    last_seen: now,
    last_health_check: now,
    node_state: 'ready',
    errors: '',
  };
  return db.transaction(async (trx) => {
    // a node that got a new data folder keeps its name: the row of the old one is its own
    const known = await trx('instances')
      .where({ uuid })
      .orWhere({ hostname: config.nodeName })
      .orderByRaw('uuid = ? desc', [uuid])
      .forUpdate()
      .first();
    // the queue locks of this node's former life, at once
    if (known?.boot_id && known.boot_id !== queue.bootId) await freeLocksOf(trx, known.boot_id);
    const adjustment = Number(known?.capacity_adjustment ?? 1);
    const row = { ...columns, capacity: totalCapacity(capacity.cpu, capacity.memory, adjustment) };
    const [stored] = known
      ? await trx('instances').where({ id: known.id }).update(row).returning(['id', 'hostname'])
      : await trx('instances').insert(row).returning(['id', 'hostname']);
    if (!known) await joinGroups(trx, stored.id);
    return stored;
  });
}

/** Until somebody says otherwise every node serves both groups that each service has. */
const joinGroups = (trx: Knex, id: number) =>
  trx.raw(
    `insert into instance_group_instances (instance_group_id, instance_id)
     select id, ? from instance_groups where name in ('controlplane', 'default') on conflict do nothing`,
    [id],
  );
