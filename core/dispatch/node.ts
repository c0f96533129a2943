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
  log: { info(fields: object, text: string): void; warn(fields: object, text: string): void; error(fields: object, text: string): void };
  heartbeatMs?: number;
  tickMs?: number;
}

/** This process as a member of the cluster: its row, its heartbeat, its runs, and an eye on the other nodes. */
export function createNode(deps: NodeDeps) {
  const { db, bus, dispatcher, runLifecycle, log, queue, heartbeatMs = 5000, tickMs = 2000 } = deps;
  let instance: { id: number; hostname: string } | undefined;
  const timers: NodeJS.Timeout[] = [];
  const unlisten: (() => void)[] = [];

  const attempt = async (what: string, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      log.warn({ err: error }, what);
    }
  };

  async function beat(): Promise<void> {
    const id = instance!.id;
    const alive = await db('instances').where({ id, boot_id: queue.bootId }).update({ last_seen: db.fn.now() });
    if (!alive) log.error({ node: instance!.hostname }, 'another process took over the name of this node; give each node its own TAPLINE_NODE_NAME and data folder');
    await reapUndecided(db);
    await endDeadNodes(deps, id);
  }

  /** Messages may be lost with the connection that carries them, so their meaning is read again. */
  async function look(): Promise<void> {
    const rows = await db('runs').where({ instance_id: instance!.id }).whereIn('status', ['waiting', 'running'])
      .where((any) => any.whereNotNull('canceled_on').orWhereNull('handle')).select('id', 'canceled_on', 'handle');
    for (const row of rows) {
      if (row.canceled_on !== null && row.handle !== null) runLifecycle.cancel(row.id);
      else runLifecycle.start(row.id);
    }
  }

  return {
    get instance() {
      return instance;
    },
    async start(): Promise<void> {
      instance = await register(deps);
      runLifecycle.bind(instance);
      unlisten.push(bus.on('node', ({ instance: id, run, what }) => {
        if (id !== instance!.id) return;
        if (what === 'cancel') runLifecycle.cancel(run);
        else runLifecycle.start(run);
      }));
      await runLifecycle.adopt();
      await endDeadNodes(deps, instance.id);
      dispatcher.start({ instance: instance.id, start: (run) => runLifecycle.start(run) });
      timers.push(setInterval(() => void attempt('heartbeat failed', beat), heartbeatMs));
      timers.push(setInterval(() => void attempt('the runs of this node could not be looked over', look), tickMs));
    },
    /** Runs go on: whoever serves as this node next takes them up again. */
    async stop(): Promise<void> {
      for (const timer of timers.splice(0)) clearInterval(timer);
      for (const stop of unlisten.splice(0)) stop();
      await dispatcher.stop();
      await runLifecycle.stop();
    },
    beat,
    look,
  };
}

export type Node = ReturnType<typeof createNode>;

async function register({ config, db, engineTool, queue, log }: NodeDeps): Promise<{ id: number; hostname: string }> {
  const { cpu, memory } = await measureMachine();
  const engine = await engineTool.engine().then(({ version }) => version, (error: unknown) => {
    log.error({ err: error }, 'no usable engine: runs assigned to this node will end with an error');
    return '';
  });
  const capacity = { cpu: cpuCapacity(cpu), memory: memoryCapacity(memory) };
  const uuid = nodeUuid(config.dataDir);
  const now = db.fn.now();
  const columns = {
    hostname: config.nodeName, uuid, boot_id: queue.bootId, version: config.version, engine, cpu, memory, roles: [...config.roles],
    cpu_capacity: capacity.cpu, mem_capacity: capacity.memory, last_seen: now, last_health_check: now, node_state: 'ready', errors: '',
  };
  return db.transaction(async (trx) => {
    // a node that got a new data folder keeps its name: the row of the old one is its own
    const known = await trx('instances').where({ uuid }).orWhere({ hostname: config.nodeName }).orderByRaw('uuid = ? desc', [uuid]).forUpdate().first();
    // the queue locks of this node's former life, at once
    if (known?.boot_id && known.boot_id !== queue.bootId) await freeLocksOf(trx, known.boot_id);
    const adjustment = Number(known?.capacity_adjustment ?? 1);
    const row = { ...columns, capacity: totalCapacity(capacity.cpu, capacity.memory, adjustment) };
    const [stored] = known
      ? await trx('instances').where({ id: known.id }).update(row).returning(['id', 'hostname'])
      : await trx('instances').insert(row).returning(['id', 'hostname']);
    return stored;
  });
}
