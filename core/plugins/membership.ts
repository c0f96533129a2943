import type { Knex } from 'knex';
import type { Config } from '../app/config.ts';
import type { Log } from '../observe/log.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { keysInUse } from '../secrets/rotate.ts';
import { changesSince, differences, type NodeSet } from './agreement.ts';
import type { Registries } from './registries.ts';

/** A node that has not been heard of for so long does not serve any more. */
export const DEAD_AFTER_S = 20;
const heartbeatMs = 5000;
const lock = 'tapline nodes';

interface Mine {
  config: Pick<Config, 'nodeName' | 'roles'>;
  keyRing: Pick<KeyRing, 'activeKeyId' | 'keyIds'>;
  registries: Registries;
}

interface Deps extends Mine {
  db: Knex;
  queue: { bootId: string };
  log: Pick<Log, 'info' | 'warn' | 'error'>;
}

/**
 * Joins the nodes that serve now, and records the set of plugins and the active key. The first node that starts
 * while no other lives takes its own set over.
 * @throws Error naming what differs from a living node, and what to do
 * @returns what ends the membership
 */
export async function joinNodes(deps: Deps): Promise<() => Promise<void>> {
  const { db, queue, log } = deps;
  await db.transaction(async (trx) => {
    await trx.raw('select pg_advisory_xact_lock(hashtext(?))', [lock]);
    const mine = setOf(deps);
    await forgetGone(trx, deps);
    const others = await livingOthers(trx, queue.bootId);
    refuseToDiffer(mine, others);
    if (!others.length) await refuseLostKey(trx, mine);
    await enter(trx, deps, mine);
    await record(trx, deps, mine);
  });
  const timer = setInterval(() => {
    beat(deps).catch((err: unknown) => log.warn({ err }, 'this node could not say that it lives'));
  }, heartbeatMs).unref();
  return async () => {
    clearInterval(timer);
    await db('service_nodes').where({ boot_id: queue.bootId }).delete();
  };
}

function setOf({ config, keyRing, registries }: Mine): NodeSet {
  const on = registries.plugins.map(({ plugin }) => [plugin.id, plugin.version] as const);
  return {
    node: config.nodeName,
    plugins: Object.fromEntries([...on, ...registries.leftOut.map(({ id }) => [id, null] as const)]),
    active_key: keyRing.activeKeyId(),
    key_ids: keyRing.keyIds(),
  };
}

interface Living extends NodeSet {
  seconds: number;
}

/** For commands that change data of plugins without serving. @throws as `joinNodes` does */
export async function assertAgreement(db: Knex, mine: Mine): Promise<void> {
  refuseToDiffer(setOf(mine), await livingOthers(db));
}

const freshSql = `last_seen >= now() - interval '${DEAD_AFTER_S} seconds'`;

/** A predecessor of this node that was killed is gone, however fresh its last sign. */
const forgetGone = (trx: Knex, { config }: Mine) =>
  trx('service_nodes')
    .whereRaw(`not (${freshSql})`)
    .orWhere((same) => same.where('node', config.nodeName).whereRaw('roles = ?::text[]', [config.roles]))
    .delete();

function livingOthers(db: Knex, bootId: string | null = null): Promise<Living[]> {
  const seconds = db.raw('extract(epoch from now() - last_seen)::int as seconds');
  return db('service_nodes')
    .whereRaw(`boot_id is distinct from ?::uuid and ${freshSql}`, [bootId])
    .select('node', 'plugins', 'active_key', 'key_ids', seconds) as any;
}

function refuseToDiffer(mine: NodeSet, others: readonly Living[]): void {
  for (const other of others) {
    const found = differences(mine, other);
    if (!found.length) continue;
    throw new Error(
      `this node (${mine.node}) differs from ${other.node}, which serves the same database and was heard of ${other.seconds} s ago: ` +
        `${found.join('; ')}. Give both the same plugins in the same versions (config/plugins.ts, TAPLINE_PLUGINS, "tapline plugins") ` +
        `and the same keys (keys.json or TAPLINE_SECRET_KEY); or stop every other node first: then this one takes its own set over. ` +
        `A node that was killed counts as living for ${DEAD_AFTER_S} s.`,
    );
  }
}

const recorded = async (trx: Knex, key: string) => (await trx('service_state').where({ key }).first('value'))?.value;

async function refuseLostKey(trx: Knex, { active_key, key_ids }: NodeSet): Promise<void> {
  const last = await recorded(trx, 'active_key');
  if (last === undefined || last === active_key || key_ids.includes(last)) return;
  // every secret may have been encrypted anew since
  if (!(await keysInUse(trx)).has(last)) return;
  throw new Error(
    `the secrets in the database were encrypted with the key ${last}, which is not in this node's key ring (${key_ids.join(', ')}). ` +
      `Put keys.json back into the data folder, or set TAPLINE_SECRET_KEY to the secret that was used. If the key is lost for good, ` +
      `"npm run tapline -- keys rotate" gives its secrets up: they must be entered again.`,
  );
}

const enter = (trx: Knex, { config, queue }: Deps, { node, plugins, active_key, key_ids }: NodeSet) =>
  trx.raw(
    `insert into service_nodes (boot_id, node, roles, plugins, active_key, key_ids) values (?, ?, ?::text[], ?::jsonb, ?, ?::text[])
     on conflict (boot_id) do update
       set last_seen = now(), active_key = excluded.active_key, key_ids = excluded.key_ids`,
    [queue.bootId, node, config.roles, JSON.stringify(plugins), active_key, [...key_ids]] as any,
  );

async function record(trx: Knex, { log }: Deps, { plugins, active_key }: NodeSet): Promise<void> {
  const before = (await recorded(trx, 'plugins')) ?? {};
  const changes = changesSince(before, plugins);
  if (changes) log.info(changes, 'other plugins are on than at the last start');
  await recordState(trx, { plugins, active_key });
}

/** Also for whoever changes the keys while no node runs. */
export async function recordState(trx: Knex, state: Record<string, unknown>): Promise<void> {
  await trx.raw(
    `insert into service_state (key, value) select key, value from jsonb_each(?::jsonb)
     on conflict (key) do update set value = excluded.value where service_state.value is distinct from excluded.value`,
    [JSON.stringify(state)],
  );
}

/** A node that was cut off for a while may find others in its place that it must not serve with. */
async function beat(deps: Deps): Promise<void> {
  const { db, log } = deps;
  const mine = setOf(deps);
  await enter(db, deps, mine);
  for (const other of await livingOthers(db, deps.queue.bootId)) {
    const found = differences(mine, other);
    if (found.length)
      log.error(
        { other: other.node, differences: found },
        'this node differs from another that serves now: stop one of them',
      );
  }
}
