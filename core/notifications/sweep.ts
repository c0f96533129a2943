import { z } from 'zod';
import type { Queue } from '../queue/queue.ts';
import { QUEUE_SCHEMA } from '../queue/tasks.ts';
import { type DeliveryDeps, giveUp, type Pending } from './deliver.ts';
import { enqueue } from './enqueue.ts';
import { TASK } from './follow.ts';

const name = 'core:sweep-notifications';
const most = 500;

type Deps = Pick<DeliveryDeps, 'db' | 'queue' | 'log'>;

type Lost = Pick<Pending, 'id' | 'outcome'> & { tried: boolean };

/** Looks after deliveries that the queue lost. */
export function defineSweep(deps: Deps & { queue: Pick<Queue, 'cron'> }): void {
  deps.queue.define(name, { schema: z.object({}), run: () => sweepPending(deps) });
  deps.queue.cron({ task: name, match: '3,13,23,33,43,53 * * * *', identifier: name });
}

/**
 * What waits, and nobody is coming for. Where the queue has no task for it any more, such as after a backup was restored, it
 * is sent; where every try of the task broke off, it ends: whether it was delivered stands in its attempts, or is not known.
 */
export async function sweepPending(deps: Deps): Promise<void> {
  const { db, log } = deps;
  const { rows } = await db.raw<{ rows: Lost[] }>(
    `select n.id, n.outcome, j.id is not null as tried
    from notifications n left join ${QUEUE_SCHEMA}.jobs j on j.key = '${TASK}:' || n.id
    where n.status = 'pending' and n.modified < now() - interval '10 minutes'
      and (j.id is null or (j.locked_at is null and j.attempts >= j.max_attempts))
    order by n.id limit ?`,
    [most],
  );
  const lost = rows.filter(({ tried }) => !tried).map(({ id }) => id);
  await enqueue(deps, db, lost);
  if (lost.length) log.warn({ notifications: lost }, 'deliveries were lost, and are begun again');
  for (const one of rows)
    if (one.tried)
      // each in a transaction of its own; there are hardly any
      // oxlint-disable-next-line no-await-in-loop
      await giveUp(deps, one, 'Each try broke off before it ended; the log of the service says why.');
}
