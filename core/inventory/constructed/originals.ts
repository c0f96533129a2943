import type { Knex } from 'knex';
import type { Catalog } from '../../descriptors/compile.ts';
import { contentsElsewhere } from '../host-ids.ts';
import { readingWholes } from '../import/stage.ts';
import type { SmartInventory } from '../smart/filter.ts';

interface InputInventory extends SmartInventory {
  name: string;
}

/** The inputs of a constructed inventory in their order. */
export const inputsOf = (db: Knex, inventory: number): Promise<InputInventory[]> =>
  db('inventory_inputs as n')
    .join('inventories as i', 'i.id', 'n.input_id')
    .where({ 'n.inventory_id': inventory })
    .orderBy('n.position')
    .select('i.id', 'i.name', 'i.organization_id', 'i.kind', 'i.host_filter');

/**
 * What is staged for a constructed inventory names its originals by where the inputs have hosts of these names, of several the last
 * as for variables; never by what the source printed, which whoever administers the inventory can make up.
 */
export async function stageOriginals(
  { db: trx, catalog }: { db: Knex; readonly catalog?: Catalog },
  inventory: number,
): Promise<void> {
  const deps = { db: trx, ...(catalog && { catalog: { ...catalog, db: trx } }) };
  await trx('staged_hosts').update({ instance_id: '' });
  for (const input of await inputsOf(trx, inventory)) {
    // oxlint-disable-next-line no-await-in-loop
    const { hosts } = await contentsElsewhere(deps, input);
    // oxlint-disable-next-line no-await-in-loop
    await readingWholes(trx, () =>
      trx.raw(
        `update staged_hosts s set instance_id = h.id::text from hosts h
         where h.name = s.name and h.${hosts ? 'id' : 'inventory_id'} = any (?::bigint[])`,
        [[...(hosts ?? [input.id])]],
      ),
    );
  }
}
