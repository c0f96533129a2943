import type { Action, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../../descriptors/compile.ts';
import { hostsHeld } from './hosts-held.ts';

interface Deps {
  db: Knex;
  readonly catalog?: Catalog;
}

/** `hosts/N/smart_inventories/`: those of its organization that find it, asked all at once. */
export const smartInventoriesOfHost = (deps: Deps, see: Rule): Action => ({
  access: { GET: see },
  summary: 'The smart inventories that the host is in',
  lists: 'inventory',
  async handler(call, host) {
    const { db, catalog } = deps;
    const inventories: number[] = await db('inventories as i')
      .join('inventories as own', 'own.organization_id', 'i.organization_id')
      .where({ 'own.id': host.inventory_id, 'i.kind': 'smart' })
      .pluck('i.id');
    const held = await hostsHeld({ ...catalog!, db }, inventories, [host.id]);
    const ids = held.map(({ inventory_id: id }) => id);
    return call.list('inventory', (builder, alias) => void builder.whereRaw('??.id = any (?)', [alias, ids]));
  },
});
