import type { Call, Columns, Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';

/** What whoever administers a constructed inventory says of its source. */
export const ownOfSource = ['source_vars', 'update_cache_timeout', 'limit', 'verbosity'] as const;

const whichOf = ({ id }: Row) => ({ kind: 'inventory_source', inventory_id: id, source: 'constructed' });

/** The one source of a constructed inventory, to be read; absent where somebody deleted it. */
export const readSourceOfConstructed = (trx: Knex, inventory: Row): Promise<Row | undefined> =>
  trx('templates').where(whichOf(inventory)).orderBy('id').first();

/** The same, held; where somebody deleted it, it is made again. */
export async function sourceOfConstructed(trx: Knex, call: Call, inventory: Row): Promise<Row> {
  const where = whichOf(inventory);
  const there: Row | undefined = await trx('templates').where(where).orderBy('id').forUpdate().first();
  if (there) return there;
  const made: Columns = {
    ...where,
    // as the trigger calls it that makes the first one
    name: `Auto-created source for: ${String(inventory['name']).slice(0, 480)}`,
    name_scope: `inventory:${inventory.id}`,
    organization_id: inventory['organization_id'],
    overwrite: true,
    overwrite_vars: true,
    update_on_launch: true,
    verbosity: 1,
    status: 'never updated',
    created_by_id: inventory['modified_by_id'],
    modified_by_id: inventory['modified_by_id'],
  };
  const [row] = await trx('templates').insert(made).returning('*');
  await call.written(trx, 'inventory_source', row);
  return row;
}
