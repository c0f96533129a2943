import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { NodeSet } from './agreement.ts';
import { DEAD_AFTER_S, type LivingNode } from './living.ts';
import { applyGroupPolicies } from './group-policies.ts';
import { isConnected } from '../queue/sign-of-life.ts';
import { freeLocksOf } from './queue-locks.ts';

/** A process that wants to serve as a node. */
export interface Newcomer {
  set: NodeSet;
  uuid: string;
  bootId: string;
  version: string;
  roles: readonly string[];
}

export interface StoredNode {
  id: number;
  hostname: string;
  uuid: string;
  boot_id: string | null;
  node_type: string;
  roles: string[];
}

/**
 * The row of the node that this process serves as. A node is its name: one that got a new data folder keeps its row. One
 * with a new name (a new container) is known by its data folder, unless the node of the old name still lives on it.
 */
export async function ownRow(
  trx: Knex,
  { set, uuid }: Newcomer,
  living: readonly LivingNode[],
): Promise<StoredNode | undefined> {
  const rows: StoredNode[] = await trx('instances').where({ hostname: set.node }).orWhere({ uuid }).forUpdate();
  return (
    rows.find(({ hostname }) => hostname === set.node) ?? rows.find(({ id }) => !living.some((node) => node.id === id))
  );
}

/**
 * A predecessor that was killed is replaced, however lately it was heard of: its connection went with it. One that is still
 * connected, or has other roles, is a second process beside it, and the two would fight for the row.
 */
export async function refuseTakenName(
  trx: Knex,
  { roles, bootId }: Newcomer,
  own: StoredNode | undefined,
  living: readonly LivingNode[],
): Promise<void> {
  const former = living.find(({ id, boot_id }) => id === own?.id && boot_id !== bootId);
  if (!own || !former) return;
  if (await isConnected(trx, former.boot_id))
    throw new Error(
      `node ${own.hostname} runs already: ${processOf(former)} serves as it. ` +
        `Stop that process first; or give this one a TAPLINE_NODE_NAME and TAPLINE_DATA of its own.`,
    );
  if (sameRoles(own.roles, roles)) return;
  throw new Error(
    `the name ${own.hostname} belongs to a node that serves as ${own.roles.join(',')} and was heard of ${former.seconds} s ago. ` +
      `Give each node a TAPLINE_NODE_NAME of its own; or stop the other first. ` +
      `A node that was killed counts as living for ${DEAD_AFTER_S} s.`,
  );
}

/** The process that serves as a node, as it may be found. */
export const processOf = ({ pid, port }: { pid: number | null; port: number | null }): string =>
  `${pid ? `process ${pid}` : 'another process'}${port ? ` on port ${port}` : ''}`;

const sameRoles = (some: readonly string[], others: readonly string[]) =>
  some.toSorted().join() === others.toSorted().join();

/** What a node shows that carries out nothing: it has no capacity and no engine. */
const idle = { engine: '', cpu: 0, memory: 0, cpu_capacity: 0, mem_capacity: 0, capacity: 0 };

/** A node that carries out runs is `installed` until it can: nothing is assigned to it before. */
export async function enter(
  trx: Knex,
  newcomer: Newcomer,
  own: StoredNode | undefined,
): Promise<{ id: number; hostname: string }> {
  const { set, bootId, version, roles } = newcomer;
  const worker = roles.includes('worker');
  const row = {
    hostname: set.node,
    uuid: await freeUuid(trx, newcomer, own),
    boot_id: bootId,
    pid: process.pid,
    port: null,
    version,
    roles,
    plugins: JSON.stringify(set.plugins),
    active_key: set.active_key,
    key_ids: set.key_ids,
    last_seen: trx.fn.now(),
    node_type: worker ? 'hybrid' : 'control',
    node_state: worker ? 'installed' : 'ready',
    errors: '',
    ...(worker ? {} : { ...idle, last_health_check: trx.fn.now() }),
  };
  // the queue locks of this node's former life, at once
  if (own?.boot_id && own.boot_id !== bootId) await freeLocksOf(trx, own.boot_id);
  const [stored] = own
    ? await trx('instances').where({ id: own.id }).update(row).returning(['id', 'hostname'])
    : await trx('instances').insert(row).returning(['id', 'hostname']);
  if (own?.node_type !== row.node_type) await joinGroups(trx, stored.id, worker);
  await applyGroupPolicies(trx);
  return stored;
}

/** Nodes with a data folder in common have its id in common too, and the first of them keeps it. */
async function freeUuid(trx: Knex, { uuid }: Newcomer, own: StoredNode | undefined): Promise<string> {
  const taken = await trx('instances')
    .where({ uuid })
    .whereNot({ id: own?.id ?? 0 })
    .first('id');
  return taken ? (own?.uuid ?? randomUUID()) : uuid;
}

/**
 * Until somebody says otherwise a node serves the groups that each service has: `controlplane`, and `default` where it
 * carries out runs.
 */
async function joinGroups(trx: Knex, id: number, worker: boolean): Promise<void> {
  await trx.raw(
    `insert into instance_group_instances (instance_group_id, instance_id)
     select id, ? from instance_groups where name = any (?::text[]) on conflict do nothing`,
    [id, worker ? ['controlplane', 'default'] : ['controlplane']],
  );
  if (!worker)
    await trx.raw(
      `delete from instance_group_instances m using instance_groups g
       where g.id = m.instance_group_id and m.instance_id = ? and g.name = 'default'`,
      [id],
    );
}
