import { ApiError, type Row, type Rule, ValidationError, type WriteContext, forbidden } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../descriptors/compile.ts';
import { assertPlainName, claimName, splitPort } from './names.ts';
import { addPort } from './port.ts';
import { assertHostFilter } from './smart/filter.ts';

type MemberRow = Row & { inventory_id: number; name: string; variables: string };

/** The inventory of a host or group never changes; sending the same again is fine. */
function assertSameInventory({ call, before }: WriteContext): void {
  const sent = call.body.inventory;
  if (before && sent !== undefined && Number(sent) !== before.inventory_id)
    throw forbidden('A host or group cannot move to another inventory.');
}

/** Only a plain inventory that is to stay takes hosts and groups; held so that it is not deleted meanwhile. */
async function assertTakesMembers(trx: Knex, inventoryId: number): Promise<void> {
  const inventory = await trx('inventories').where({ id: inventoryId }).forKeyShare().first('kind', 'pending_deletion');
  if (!inventory) throw ValidationError.field('inventory', `Invalid pk "${inventoryId}" - object does not exist.`);
  if (inventory.pending_deletion) throw ValidationError.field('inventory', 'The inventory is being deleted.');
  if (inventory.kind)
    throw ValidationError.field('inventory', `A ${inventory.kind} inventory takes its hosts from elsewhere.`);
}

/** Hosts of an inventory that is being deleted go with it, those of a constructed one with their originals. */
export async function assertMayGo(trx: Knex, inventory: number): Promise<void> {
  const { kind, pending_deletion: going } = (await trx('inventories').where({ id: inventory }).first()) ?? {};
  if (going) throw new ApiError(400, { error: 'The inventory is being deleted.' });
  if (kind)
    throw new ApiError(400, { error: `Hosts of a ${kind} inventory come and go with those that they are made of.` });
}

/** What a host of a constructed inventory stands for is found by its updates. */
async function keepOriginal({ input, before, trx, sent }: WriteContext): Promise<void> {
  const { instance_id: given } = input;
  if (!before || given === undefined || given === before['instance_id']) return;
  const { kind } = (await trx('inventories').where({ id: before['inventory_id'] }).first('kind')) ?? {};
  if (kind !== 'constructed') return;
  if (sent.has('instance_id'))
    throw ValidationError.field('instance_id', 'Of a host of a constructed inventory it is set by updates.');
  // a PUT without it would empty it
  delete input['instance_id'];
}

export async function checkHost(context: WriteContext<MemberRow>): Promise<void> {
  assertSameInventory(context);
  await keepOriginal(context);
  await prepareHost(context);
  await checkMember(context, 'hosts', context.trx);
}

/** A port in the name becomes a variable. */
export async function prepareHost({ input, before }: Pick<WriteContext<MemberRow>, 'input' | 'before'>): Promise<void> {
  if (input.name === undefined) return;
  assertPlainName(input.name);
  const { host, port } = splitPort(input.name);
  input.name = host;
  if (port !== null) input.variables = await addPort(input.variables ?? before?.variables ?? '', port);
}

const reservedGroups = new Set(['all', '_meta']);

export async function checkGroup(context: WriteContext<MemberRow>): Promise<void> {
  assertSameInventory(context);
  const { name } = context.input;
  if (name !== undefined) {
    assertPlainName(name);
    if (reservedGroups.has(name))
      throw ValidationError.field('name', `${name} is a reserved name and cannot be used for a group.`);
  }
  await checkMember(context, 'groups', context.trx);
}

async function checkMember(
  { input, before }: WriteContext<MemberRow>,
  table: 'hosts' | 'groups',
  trx: Knex,
): Promise<void> {
  const inventoryId = before?.inventory_id ?? input.inventory_id!;
  if (!before) await assertTakesMembers(trx, inventoryId);
  if (input.name !== undefined && input.name !== before?.name) await claimName(trx, table, inventoryId, input.name);
}

/** What a filter finds is the organization's: who sets one needs the right to make inventories there. */
async function assertMayFilter({ call, before, input, trx }: WriteContext, makes: Rule): Promise<void> {
  if (before && !(await makes.row(call.actor, { ...before, ...input }, trx)))
    throw forbidden('To change the host filter, the right to administer inventories of the organization is needed.');
}

/** @param makes who may make inventories of the organization */
export async function checkInventory(
  context: WriteContext,
  { catalog, makes }: { catalog: Catalog; makes: Rule },
): Promise<void> {
  const { call, input, before, sent } = context;
  const { kind } = call.body;
  if (before && kind !== undefined && kind !== null && kind !== before.kind) {
    throw new ApiError(405, { error: 'The kind of an inventory cannot be changed.' });
  }
  if (before?.pending_deletion) throw new ApiError(400, { error: 'The inventory is being deleted.' });
  if (!before && input.organization_id === null)
    throw ValidationError.field('organization', 'This field may not be null.');
  if (!sent.has('host_filter') && before) return;
  const filter = typeof input.host_filter === 'string' ? percentDecoded(input.host_filter).trim() : '';
  input.host_filter = filter || null;
  const smart = (before ?? input).kind === 'smart';
  if (smart !== Boolean(filter))
    throw ValidationError.field(
      'host_filter',
      smart ? 'Smart inventories need a host filter.' : 'Only smart inventories have a host filter.',
    );
  if (!filter || filter === before?.host_filter) return;
  await assertMayFilter(context, makes);
  assertHostFilter(catalog, filter);
}

/** Clients send it as it stands in addresses; what is no such sequence stays as it is. */
const percentDecoded = (text: string) =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (sequence) => {
    try {
      return decodeURIComponent(sequence);
    } catch {
      return sequence;
    }
  });
