import { ApiError, type Call, type Route, type Row, ValidationError, field } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../../../descriptors/compile.ts';
import { inTransaction } from '../../../descriptors/write/write.ts';
import { role } from '../../../rbac/role-rules.ts';
import { authenticated } from '../../../rbac/rules.ts';
import { assertNoActiveRuns } from '../../../runs/active-runs.ts';
import { type BulkServices, listOfHosts } from './read.ts';

const administers = role('inventory', 'admin_role');

const fields = { hosts: field.list({ required: true, help: 'The ids of the hosts.' }) };

/** `POST bulk/host_delete/`: all of the hosts or none of them. */
export const bulkHostDelete = (services: BulkServices): Route => ({
  path: '/api/v2/bulk/host_delete/',
  summary: 'Delete many hosts at once',
  access: { GET: authenticated, POST: authenticated },
  fields,
  answers: {
    GET: { fields: { detail: field.string() } },
    POST: { status: 201, fields: { hosts: field.json() } },
  },
  async handler(call) {
    if (call.method === 'GET')
      return { status: 200, body: { detail: 'Delete many hosts at once by a POST with their ids.' } };
    const most = services.settings.get('BULK_HOST_MAX_DELETE');
    const sent = listOfHosts(call, most, (_, count) => new ApiError(400, tooMany(most, count)));
    const ids = [...new Set(readIds(sent))].toSorted((a, b) => a - b);
    return { status: 201, body: { hosts: await remove(services.catalog!, call, ids) } };
  },
});

const tooMany = (most: number, count: number) => ({
  ERROR: ['Number of hosts exceeds system setting BULK_HOST_MAX_DELETE'],
  BULK_HOST_MAX_DELETE: [String(most)],
  Hosts_count: [String(count)],
});

function readIds(sent: readonly unknown[]): number[] {
  const wrong = sent.findIndex((id) => !Number.isSafeInteger(id) || Number(id) < 1);
  if (wrong >= 0) throw ValidationError.field('hosts', `The ${wrong + 1}. is no id of a host.`);
  return sent as number[];
}

async function remove(catalog: Catalog, call: Call, ids: number[]): Promise<Record<string, string>> {
  const model = catalog.type('host');
  const seen = await call.visible('host', ids);
  return inTransaction(catalog.db, model.resource, async (trx) => {
    const rows: (Row & { inventory_id: number })[] = await trx('hosts')
      .whereRaw('id = any (?)', [ids])
      .orderBy('id')
      .forUpdate();
    const there = new Set(rows.map(({ id }) => id).filter((id) => seen.has(id)));
    const unknown = ids.filter((id) => !there.has(id));
    if (unknown.length)
      throw new ApiError(400, { hosts: Object.fromEntries(unknown.map((id) => [id, `Host ${id} does not exist.`])) });
    await assertInventories(trx, call, [...new Set(rows.map(({ inventory_id: of }) => of))]);
    await catalog.doors?.check('host', 'delete', { trx, actor: call.actor, rows });
    const sides = rows.map((row) => ({ model, row }));
    await catalog.activity?.together(trx, catalog, call, 'delete', sides);
    await trx('hosts').whereRaw('id = any (?)', [ids]).delete();
    return Object.fromEntries(rows.map(({ id, name }) => [id, `Host ${String(name)} is deleted.`]));
  });
}

interface InventoryRow extends Row {
  name: string;
  kind: string;
  pending_deletion: boolean;
}

async function assertInventories(trx: Knex, { actor }: Call, ids: number[]): Promise<void> {
  const inventories: InventoryRow[] = await trx('inventories').whereRaw('id = any (?)', [ids]).orderBy('id');
  const foreign: Record<string, string> = {};
  for (const inventory of inventories)
    // the rules know many callers without a question
    // oxlint-disable-next-line no-await-in-loop
    if (!(await administers.row(actor, inventory, trx)))
      foreign[inventory.name] = 'Hosts are deleted by who administers the inventory.';
  if (Object.keys(foreign).length)
    throw new ApiError(403, { detail: 'Some of the hosts are not yours to delete.', inventories: foreign });
  const wrong = inventories.filter(({ kind, pending_deletion: going }) => kind || going);
  if (wrong.length)
    throw new ApiError(400, { inventories: Object.fromEntries(wrong.map((one) => [one.name, whyNot(one)])) });
  await assertNoActiveRuns(trx, (runs) => void runs.whereRaw('inventory_id = any (?)', [ids]));
}

const whyNot = ({ kind, pending_deletion: going }: InventoryRow) =>
  going ? 'The inventory is being deleted.' : `A ${kind} inventory takes its hosts from elsewhere.`;
