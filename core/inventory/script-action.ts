import { type Action, ApiError, type Reply, type Rule, notFound } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { hostVariables, inventoryDocument } from './document.ts';

/** `slice2of5` → the second of five. */
function parseSubset(text: string): { number: number; count: number } {
  const [, number, count] = /^slice(\d{1,9})of(\d{1,9})$/.exec(text) ?? [];
  const slice = { number: Number(number), count: Number(count) };
  if (!number || slice.number < 1 || slice.number > slice.count)
    throw new ApiError(400, 'subset must be sliceKofN, with K from 1 to N.');
  return slice;
}

/** The inventory document for the engine and for inventory plugins (contract §2.1). */
export function scriptAction(db: Knex, see: Rule): Action {
  return {
    access: { GET: see },
    summary: 'The inventory as the engine reads it',
    answers: { GET: { schema: { type: 'object' } } },
    async handler({ query }, inventory): Promise<Reply> {
      // any value counts, even 0: that is how clients know these flags
      const flag = (name: string) => Boolean(query.get(name));
      const options = { hostvars: flag('hostvars'), towervars: flag('towervars'), all: flag('all') };
      const name = query.get('host');
      if (name) {
        const host = name.includes('\0')
          ? undefined
          : await db('hosts').where({ inventory_id: inventory.id, name }).first();
        if (!host || !(host.enabled || options.all)) throw notFound('No Host matches the given query.');
        return { status: 200, body: await hostVariables(host, options) };
      }
      const subset = query.get('subset');
      const slice = subset ? parseSubset(subset) : undefined;
      return { status: 200, body: await inventoryDocument(db, inventory.id, { ...options, slice }) };
    },
  };
}
