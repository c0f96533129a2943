import type { Knex } from 'knex';
import { isDeadSql } from '../nodes/living.ts';
import { freeLocksOfTheDead } from '../nodes/queue-locks.ts';
import type { Statuses } from '../runs/status.ts';
import type { RunLifecycle } from '../runner/lifecycle.ts';

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
  await freeLocksOfTheDead(db);
  const dead = await db('instances')
    .whereNot({ id: self })
    .whereRaw(isDeadSql('coalesce(last_seen, created)'))
    .whereExists(
      db('runs')
        .select(db.raw('1'))
        .whereRaw('runs.instance_id = instances.id')
        .where('runs.needs', 'engine')
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
  await giveBackUnclaimed(db, statuses, node.id);
  const begun = await db('runs')
    .where({ instance_id: node.id, needs: 'engine' })
    .whereIn('status', ['waiting', 'running'])
    .whereNotNull('handle')
    .pluck('id');
  const left = await runLifecycle.adoptFrom(begun);
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

/** Under lock: a node that is back may claim them at this moment, and what is claimed is not given to another. */
async function giveBackUnclaimed(db: Knex, statuses: Statuses, node: number): Promise<void> {
  await db.transaction(async (trx) => {
    const unclaimed: { id: number }[] = await trx('runs')
      .where({ instance_id: node, needs: 'engine', status: 'waiting', handle: null })
      .orderBy('id')
      .forNoKeyUpdate()
      .skipLocked()
      .select('id');
    await statuses.setStatuses(trx, 'pending', unclaimed);
  });
}
