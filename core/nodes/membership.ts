import type { Knex } from 'knex';
import type { Config } from '../config/config.ts';
import type { Log } from '../observe/log.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { differences, type NodeSet } from './agreement.ts';
import { refuseToDiffer } from './assert-agreement.ts';
import { cpuCapacity, memoryCapacity, totalCapacity } from './capacity.ts';
import { nodeUuid } from './identity.ts';
import { HEARTBEAT_MS, livingNodes } from './living.ts';
import { recordSet, refuseLostKey } from './recorded.ts';
import { enter, ownRow, processOf, refuseTakenName } from './row.ts';

export interface NodeSetDeps {
  config: Pick<Config, 'nodeName'>;
  keyRing: Pick<KeyRing, 'activeKeyId' | 'keyIds'>;
  registries: { versions(): NodeSet['plugins'] };
}

export interface MembershipDeps extends NodeSetDeps {
  config: Pick<Config, 'dataDir' | 'nodeName' | 'roles' | 'version'>;
  db: Knex;
  queue: { bootId: string };
  log: Pick<Log, 'info' | 'warn' | 'error'>;
}

/** What a node that carries out runs brings. */
export interface Equipment {
  cpu: number;
  memory: number;
  /** version of the engine; '' without a usable one */
  engine: string;
}

/** Joins of all processes go one after the other; the lock ends with the transaction. */
const lock = 'tapline nodes';
const remedy = 'give each node its own TAPLINE_NODE_NAME and data folder';

export const nodeSet = ({ config, keyRing, registries }: NodeSetDeps): NodeSet => ({
  node: config.nodeName,
  plugins: registries.versions(),
  active_key: keyRing.activeKeyId(),
  key_ids: keyRing.keyIds(),
});

/** This process among the nodes that serve one database: its row, and the sign of life that keeps it. */
export class Membership {
  readonly #deps: MembershipDeps;
  readonly #followers: (() => Promise<unknown>)[] = [];
  #node: { id: number; hostname: string } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sign: Promise<void> = Promise.resolve();
  #equipment: Equipment | undefined;
  #port: number | null = null;
  /** why this process does not serve as its node */
  #displaced: string | undefined;

  constructor(deps: MembershipDeps) {
    this.#deps = deps;
  }

  /**
   * Joins the nodes that serve now, and records the set of plugins and the active key. The first node that starts while
   * no other lives takes its own set over.
   * @throws Error naming what differs from a living node, and what to do
   */
  async join(): Promise<void> {
    await this.#takePlace();
    this.#timer = setInterval(() => this.#attempt(), HEARTBEAT_MS).unref();
  }

  /** False while another process serves under this node's name: whatever is assigned to the node is that one's. */
  get hasPlace(): boolean {
    return this.#displaced === undefined;
  }

  /** @throws Error naming the process that serves in place of this one */
  assertPlace(): void {
    if (this.#displaced !== undefined) throw new Error(this.#displaced);
  }

  /** Tells where requests are answered, for whoever is refused the name. */
  async serveAt(port: number): Promise<void> {
    this.#port = port;
    await this.#update({ port });
  }

  async #takePlace(): Promise<void> {
    const { config, db, queue } = this.#deps;
    const set = nodeSet(this.#deps);
    const uuid = nodeUuid(config.dataDir, config.nodeName);
    const newcomer = { set, uuid, bootId: queue.bootId, version: config.version, roles: config.roles };
    this.#node = await db.transaction(async (trx) => {
      await trx.raw('select pg_advisory_xact_lock(hashtext(?))', [lock]);
      const living = await livingNodes(trx);
      const own = await ownRow(trx, newcomer, living);
      await refuseTakenName(trx, newcomer, own, living);
      const others = living.filter(({ id }) => id !== own?.id);
      refuseToDiffer(set, others);
      if (!others.length) await refuseLostKey(trx, set);
      const node = await enter(trx, newcomer, own);
      await recordSet(trx, set, this.#deps);
      return node;
    });
  }

  /** From now on this node carries out runs. @throws Error where another process serves under its name meanwhile */
  async equip(equipment: Equipment): Promise<{ id: number; hostname: string }> {
    const { db, queue } = this.#deps;
    const { cpu, memory, engine } = equipment;
    const { id, hostname } = this.#node!;
    const capacity = { cpu: cpuCapacity(cpu), memory: memoryCapacity(memory) };
    await db.transaction(async (trx) => {
      const row = await trx('instances').where({ id, boot_id: queue.bootId }).forUpdate().first('capacity_adjustment');
      if (!row) throw new Error(`another process took over the name ${hostname} while this node started; ${remedy}`);
      const columns = {
        engine,
        cpu,
        memory,
        cpu_capacity: capacity.cpu,
        mem_capacity: capacity.memory,
        capacity: totalCapacity(capacity.cpu, capacity.memory, Number(row.capacity_adjustment)),
        node_state: 'ready',
        last_seen: db.fn.now(),
        last_health_check: db.fn.now(),
      };
      await trx('instances').where({ id }).update(columns);
    });
    this.#equipment = equipment;
    return { id, hostname };
  }

  /** What is done after each heartbeat. */
  follow(work: () => Promise<unknown>): () => void {
    this.#followers.push(work);
    return () => void this.#followers.splice(this.#followers.indexOf(work), 1);
  }

  async beat(): Promise<void> {
    await (this.#sign = this.#sayAlive());
    await Promise.all(this.#followers.map((work) => work()));
  }

  /** Others need not wait until it counts as dead: nothing is assigned to it, nor has anybody to agree with it. */
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sign.catch(() => undefined);
    const last_seen = this.#deps.db.fn.now();
    await this.#update({
      boot_id: null,
      pid: null,
      port: null,
      node_state: 'unavailable',
      errors: 'The node was stopped.',
      last_seen,
    });
  }

  /** A node that was cut off for a while may find others in its place that it must not serve with. */
  async #sayAlive(): Promise<void> {
    const { db, log, queue } = this.#deps;
    const mine = nodeSet(this.#deps);
    const { active_key, key_ids } = mine;
    if (!(await this.#update({ last_seen: db.fn.now(), active_key, key_ids }))) await this.#returnToPlace();
    for (const other of await livingNodes(db)) {
      const found = other.boot_id === queue.bootId ? [] : differences(mine, other);
      if (found.length)
        log.error(
          { other: other.node, differences: found },
          'this node differs from another that serves now: stop one of them',
        );
    }
  }

  /** Whoever took the name over keeps it while it lives; afterwards the place is this process's again. */
  async #returnToPlace(): Promise<void> {
    const { db, log } = this.#deps;
    const { id, hostname } = this.#node!;
    const other = (await livingNodes(db)).find((node) => node.id === id);
    if (other) {
      if (this.hasPlace) log.error({ node: hostname }, `another process took over the name of this node; ${remedy}`);
      this.#displaced = `${processOf(other)} serves as node ${hostname} in place of this process; ${remedy}`;
      return;
    }
    await this.#takePlace();
    if (this.#port !== null) await this.serveAt(this.#port);
    if (this.#equipment) await this.equip(this.#equipment);
    this.#displaced = undefined;
    log.warn({ node: hostname }, 'this process serves as its node again');
  }

  /** The row, as long as it is this process's. */
  #update(columns: Record<string, unknown>): Promise<number> {
    const { db, queue } = this.#deps;
    return db('instances').where({ id: this.#node!.id, boot_id: queue.bootId }).update(columns);
  }

  #attempt(): void {
    this.beat().catch((err: unknown) => this.#deps.log.warn({ err }, 'heartbeat failed'));
  }
}

export const createMembership = (deps: MembershipDeps): Membership => new Membership(deps);
