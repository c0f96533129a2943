import type { Action, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../../descriptors/compile.ts';
import { type SmartInventory, workingFilters } from './filter.ts';

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
    const inventories: SmartInventory[] = await db('inventories as i')
      .join('inventories as own', 'own.organization_id', 'i.organization_id')
      .where({ 'own.id': host.inventory_id, 'i.kind': 'smart' })
      .select('i.id', 'i.kind', 'i.organization_id', 'i.host_filter');
    const ids = await holding(db, catalog!, inventories, host.id);
    return call.list('inventory', (builder, alias) => void builder.whereRaw('??.id = any (?)', [alias, ids]));
  },
});

async function holding(db: Knex, catalog: Catalog, inventories: readonly SmartInventory[], host: number) {
  const parts = workingFilters(catalog, inventories);
  if (!parts.length) return [];
  const { rows } = await db.raw(
    parts.map(({ sql }) => `select ?::bigint as id where ?::bigint in (${sql})`).join(' union all '),
    parts.flatMap(({ id, bindings }) => [id, host, ...bindings]) as Knex.RawBinding[],
  );
  return rows.map(({ id }: { id: number }) => id);
}
