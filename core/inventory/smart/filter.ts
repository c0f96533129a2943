import { ApiError, ValidationError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { serviceItself } from '../../descriptors/call.ts';
import type { Catalog } from '../../descriptors/compile.ts';
import { compileExpression } from '../../descriptors/read/expression-filter.ts';
import { badFilter } from '../../descriptors/read/filter-key.ts';

/** What is asked of an inventory whose hosts are found by a filter. */
export interface SmartInventory {
  id: number;
  kind: string;
  organization_id: number | null;
  host_filter: string | null;
}

/** Readers of hosts see these as well; through anything else a filter could tell what its author may not read. */
const open = new Set(['group', 'host', 'inventory', 'inventory_source', 'label', 'organization']);

function compile({ db, models, type }: Catalog, filter: string) {
  // whoever reads the inventory sees its hosts, so that nobody's rights narrow it
  return compileExpression({ db, models, actor: serviceItself }, type('host'), filter, {
    through({ name, target }) {
      if (!open.has(target.type))
        throw badFilter(`${name} leads to what readers of hosts need not see: it works in ?host_filter= alone.`);
    },
  });
}

/** @throws ValidationError under `host_filter` */
export function assertHostFilter(catalog: Catalog, filter: string): void {
  try {
    compile(catalog, filter);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw ValidationError.field('host_filter', String(error.body.detail));
  }
}

/**
 * Selects the ids of its hosts: those of plain inventories of the same organization that the filter finds, of several with one
 * name the first. @throws ApiError 400 where its filter does not work any more
 * @param among all that is asked about: no host of another name is looked at
 */
export function smartHosts(
  catalog: Catalog,
  { organization_id: organization, host_filter: filter }: SmartInventory,
  among?: readonly number[],
) {
  const query: Knex.QueryBuilder = catalog.db
    .from('hosts as s')
    .join('inventories as si', 'si.id', 's.inventory_id')
    .where({ 'si.kind': '', 'si.pending_deletion': false, 'si.organization_id': organization ?? 0 })
    .distinctOn('s.name')
    .select('s.id')
    .orderBy(['s.name', 's.id']);
  if (filter === null) return query.whereRaw('false');
  if (among) void query.whereRaw('s.name in (select n.name from hosts n where n.id = any (?::bigint[]))', [[...among]]);
  compile(catalog, filter)(query, 's');
  return query;
}

/** The statements of those whose filters still work, each with its inventory's id, to be asked in one. */
export function workingFilters(catalog: Catalog, inventories: readonly SmartInventory[], among?: readonly number[]) {
  return inventories.flatMap((inventory) => {
    try {
      return [{ id: inventory.id, ...smartHosts(catalog, inventory, among).toSQL() }];
    } catch (error) {
      if (error instanceof ApiError) return [];
      throw error;
    }
  });
}

export const isSmart = ({ kind }: { kind: string }): boolean => kind === 'smart';
