import type { Knex } from 'knex';
import { QUEUE_SCHEMA } from '../jobs/tasks.ts';
import type { Statuses } from '../jobs/status.ts';
import type { RunLifecycle } from '../runner/lifecycle.ts';
import { NODE_DEAD_AFTER_S } from './situation.ts';

export interface DeadNodeDeps {
  db: Knex;
  statuses: Statuses;
  runLifecycle: Pick<RunLifecycle, 'adoptFrom'>;
  log: { warn(fields: object, text: string): void };
  /** After so long a run of a dead node that nobody can reach is given up. */
  giveUpAfterS?: number;
}

/** Long enough for a machine to restart: its runs may be alive, and only it can tell. */
const GIVE_UP_AFTER_S = 120;

/**
 * What a node left behind that is not heard of any more: its queue locks are freed, what it had not
 * claimed goes back to the queue, what it had begun is taken over by whoever can reach it, and else ended.
 */
export async function endDeadNodes(deps: DeadNodeDeps, self: number): Promise<void> {
  const { db, log } = deps;
  await freeQueueLocks(db);
  const dead = await db('instances')
    .whereNot({ id: self })
    .whereRaw("coalesce(last_seen, created) < now() - ? * interval '1 second'", [NODE_DEAD_AFTER_S])
    .whereExists(
      db('runs')
        .select(db.raw('1'))
        .whereRaw('runs.instance_id = instances.id')
        .whereIn('runs.status', ['waiting', 'running']),
    )
    .select('id', 'hostname', db.raw('extract(epoch from now() - coalesce(last_seen, created))::integer as silent'));
  for (const node of dead) {
    log.warn({ silent_node: node.hostname, silent: node.silent }, `node ${node.hostname} is not heard of any more`);
    await endNode(deps, node);
  }
}

async function endNode(
  { db, statuses, runLifecycle, giveUpAfterS = GIVE_UP_AFTER_S }: DeadNodeDeps,
  node: { id: number; hostname: string; silent: number },
): Promise<void> {
  const runs = await db('runs')
    .where({ instance_id: node.id })
    .whereIn('status', ['waiting', 'running'])
    .select('id', 'status', 'handle');
  const untouched = runs.filter((run) => run.status === 'waiting' && run.handle === null);
  await db.transaction((trx) =>
    statuses.setStatuses(
      trx,
      'pending',
      untouched.map(({ id }) => ({ id })),
    ),
  );
  const begun = runs.filter((run) => run.handle !== null);
  const left = await runLifecycle.adoptFrom(begun.map((run) => run.id));
  if (node.silent < giveUpAfterS || !left.length) return;
  await db.transaction((trx) =>
    statuses.setStatuses(
      trx,
      'error',
      left.map((id) => ({
        id,
        fields: {
          job_explanation: `Node ${node.hostname}, which executed this run, is not heard of any more; its result is unknown.`,
        },
      })),
    ),
  );
}

/** Pools of processes that are gone: an older life of a node, or a node that is dead. */
async function freeQueueLocks(db: Knex): Promise<void> {
  const { rows } = await db.raw(
    `delete from queue_pools p where p.created < now() - ? * interval '1 second'
       and not exists (select 1 from instances i where i.boot_id = p.boot_id and i.last_seen > now() - ? * interval '1 second')
     returning id`,
    [NODE_DEAD_AFTER_S, NODE_DEAD_AFTER_S],
  );
  await unlock(db, rows);
}

export async function freeLocksOf(db: Knex, bootId: string): Promise<void> {
  await unlock(db, await db('queue_pools').where({ boot_id: bootId }).delete().returning('id'));
}

async function unlock(db: Knex, pools: readonly { id: string }[]): Promise<void> {
  const ids = pools.map(({ id }) => id);
  if (ids.length) await db.raw(`select ${QUEUE_SCHEMA}.force_unlock_workers(?::text[])`, [ids]);
}
