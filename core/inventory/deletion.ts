import type { Knex } from 'knex';
import { z } from 'zod';
import type { Bus } from '../queue/bus.ts';
import type { Queue } from '../queue/queue.ts';

const task = 'core:delete-inventory';
const batch = 1000;

interface Deps {
  bus: Pick<Bus, 'notify'>;
  queue: Pick<Queue, 'addTasks'>;
}

/** Nothing takes part in it any more; hosts, groups and the inventory itself go by a task. */
export async function beginDeletion({ bus, queue }: Deps, trx: Knex, inventory: number): Promise<void> {
  await trx('inventories').where({ id: inventory }).update({ pending_deletion: true, modified: trx.fn.now() });
  // its sources go with it
  await trx('templates').where({ inventory_id: inventory, source: '' }).update({ inventory_id: null });
  await enqueue(queue, trx, [inventory]);
  await bus.notify(trx, 'inventory', { inventory, status: 'pending_deletion' });
}

/** What its entry tells besides: hosts and groups go along without entries of their own. */
export async function partsOf(trx: Knex, inventory: number): Promise<Record<string, number>> {
  const { rows } = await trx.raw(
    `select (select count(*) from hosts where inventory_id = :inventory) as hosts_deleted,
       (select count(*) from groups where inventory_id = :inventory) as groups_deleted`,
    { inventory },
  );
  return rows[0];
}

/** One task for each, however often it is asked for. */
const enqueue = (queue: Deps['queue'], db: Knex, inventories: readonly number[]) =>
  queue.addTasks(
    db,
    inventories.map((inventory) => ({ name: task, payload: { inventory }, key: `${task}:${inventory}` })),
  );

/** Those whose task was given up, for the clock. */
export async function resumeDeletions(db: Knex, queue: Deps['queue']): Promise<number> {
  const waiting: number[] = await db('inventories')
    .where({ pending_deletion: true })
    .where('modified', '<', db.raw(`now() - interval '10 minutes'`))
    .pluck('id');
  await enqueue(queue, db, waiting);
  return waiting.length;
}

export function defineDeletion({ db, bus, queue }: { db: Knex; bus: Deps['bus']; queue: Pick<Queue, 'define'> }): void {
  queue.define(task, {
    schema: z.object({ inventory: z.int().positive() }),
    run: ({ inventory }, { signal }) => removeInventory({ db, bus, signal }, inventory),
  });
}

interface Removal {
  db: Knex;
  bus: Deps['bus'];
  signal?: AbortSignal;
}

/** Begun again after a death, it goes on with what is left. */
export async function removeInventory({ db, bus, signal }: Removal, inventory: number): Promise<void> {
  const going = await db('inventories').where({ id: inventory, pending_deletion: true }).first('id');
  if (!going) return;
  for (const table of ['hosts', 'groups']) {
    for (;;) {
      signal?.throwIfAborted();
      // in the order in which the statistics of runs lock them, a batch at a time: others are not kept waiting
      // oxlint-disable-next-line no-await-in-loop
      const removed: number = await db(table)
        .whereIn('id', (some) =>
          some.select('id').from(table).where({ inventory_id: inventory }).orderBy('id').limit(batch).forUpdate(),
        )
        .delete();
      if (!removed) break;
    }
  }
  await db.transaction(async (trx) => {
    if (await trx('inventories').where({ id: inventory }).delete())
      await bus.notify(trx, 'inventory', { inventory, status: 'deleted' });
  });
}
