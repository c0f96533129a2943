import { type Action, ApiError, type Reply, type Row, type Rule, notFound, SpecError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../descriptors/compile.ts';
import { createGate } from '../observe/gate.ts';
import type { Settings } from '../settings/settings.ts';
import { type DocumentOptions, hostVariables, inventoryText } from './document.ts';
import { contentsElsewhere } from './host-ids.ts';
import type { SmartInventory } from './smart/filter.ts';

/** `slice2of5` → the second of five. */
function parseSubset(text: string): { number: number; count: number } {
  const [, number, count] = /^slice(\d{1,9})of(\d{1,9})$/.exec(text) ?? [];
  const slice = { number: Number(number), count: Number(count) };
  if (!number || slice.number < 1 || slice.number > slice.count)
    throw new ApiError(400, 'subset must be sliceKofN, with K from 1 to N.');
  return slice;
}

interface Deps {
  db: Knex;
  settings: Pick<Settings, 'get'>;
  readonly catalog?: Catalog;
}

type Inventory = Row & SmartInventory;

/** Each holds a whole inventory, with every variable in it. */
const inTurn = createGate({ atOnce: 2, maxWaiting: 50, full: 'Too many inventories are being read; try again.' });

/** The inventory document for the engine and for inventory plugins (contract §2.1). */
export function scriptAction(deps: Deps, see: Rule): Action {
  const { db, settings } = deps;
  const text = async (inventory: Inventory, options: DocumentOptions) => {
    const elsewhere = await contentsElsewhere(deps, inventory);
    const mostBytes = settings.get('INVENTORY_MAX_BYTES');
    return inventoryText(db, inventory.id, { ...options, ...elsewhere, mostBytes });
  };
  return {
    access: { GET: see },
    summary: 'The inventory as the engine reads it',
    answers: { GET: { schema: { type: 'object' } } },
    async handler({ query }, inventory: Inventory): Promise<Reply> {
      // any value counts, even 0: that is how clients know these flags
      const flag = (name: string) => Boolean(query.get(name));
      const options = { hostvars: flag('hostvars'), towervars: flag('towervars'), all: flag('all') };
      const name = query.get('host');
      if (name) {
        const host = name.includes('\0') ? undefined : await hostNamed(deps, inventory, name);
        if (!host || !(host.enabled || options.all)) throw notFound('No Host matches the given query.');
        return { status: 200, body: await hostVariables(host, options) };
      }
      const subset = query.get('subset');
      const slice = subset ? parseSubset(subset) : undefined;
      const body = await inTurn(() => text(inventory, { ...options, slice })).catch(refuse);
      return { status: 200, body, type: 'application/json' };
    },
  };
}

function refuse(error: unknown): never {
  throw error instanceof SpecError ? new ApiError(400, error.message) : error;
}

async function hostNamed(deps: Deps, inventory: Inventory, name: string) {
  const { hosts: ids, inputs = [inventory.id] } = await contentsElsewhere(deps, inventory).catch(refuse);
  const named = deps.db('hosts').where({ name });
  if (ids) return named.whereRaw('id = any (?)', [[...ids]]).first();
  // as the document has it: the enabled one of the last input
  return named
    .whereRaw('inventory_id = any (?)', [[...inputs]])
    .orderByRaw('enabled desc, array_position(?::bigint[], inventory_id) desc', [[...inputs]])
    .first();
}
