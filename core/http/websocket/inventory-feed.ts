import type { BusMessages } from '../../queue/bus.ts';
import type { Log } from '../../observe/log.ts';
import { type Audience, send } from './client.ts';
import type { CanSee } from './witnesses.ts';

interface FeedDeps {
  log: Log;
  audience: Audience;
  canSee: CanSee;
}

const group = 'inventories-status_changed';
const mostRemembered = 10_000;

/** Tells of inventories that are being deleted, and that they are gone: to whoever saw them while they were there. */
export function createInventoryFeed({ log, audience, canSee }: FeedDeps) {
  /** users who saw an inventory when its deletion began */
  const witnesses = new Map<number, Set<number>>();
  let turn = Promise.resolve();

  async function pass({ inventory, status }: BusMessages['inventory']): Promise<void> {
    const clients = audience.listeners(group);
    const before = witnesses.get(inventory) ?? new Set<number>();
    const seeing = new Set<number>();
    const text = JSON.stringify({ group_name: 'inventories', inventory_id: inventory, status });
    for (const { actor } of clients ?? [])
      if (!seeing.has(actor.id) && (before.has(actor.id) || (await canSee('inventory', inventory, actor))))
        seeing.add(actor.id);
    for (const client of clients ?? []) if (seeing.has(client.actor.id)) send(client, text);
    if (status === 'deleted') witnesses.delete(inventory);
    else if (witnesses.size < mostRemembered) witnesses.set(inventory, seeing);
  }

  return {
    notice(message: BusMessages['inventory']): void {
      if (!audience.listeners(group)) return;
      turn = turn
        .then(() => pass(message))
        .catch((err) => log.warn({ err, inventory: message.inventory }, 'a deletion could not be told to listeners'));
    },
  };
}
