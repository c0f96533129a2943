import { ApiError, ValidationError, type WriteContext, forbidden } from '@tapline/plugin-sdk';
import { assertPlainName, claimName, splitPort } from './names.ts';
import { addPort } from './port.ts';

/** The inventory of a host or group never changes; sending the same again is fine. */
function assertSameInventory({ call, before }: WriteContext): void {
  const sent = call.body.inventory;
  if (before && sent !== undefined && Number(sent) !== before.inventory_id)
    throw forbidden('A host or group cannot move to another inventory.');
}

/** Only a plain inventory that is to stay takes hosts and groups; held so that it is not deleted meanwhile. */
async function assertTakesMembers(trx: any, inventoryId: number): Promise<void> {
  const inventory = await trx('inventories').where({ id: inventoryId }).forKeyShare().first('kind', 'pending_deletion');
  if (!inventory) throw ValidationError.field('inventory', `Invalid pk "${inventoryId}" - object does not exist.`);
  if (inventory.pending_deletion) throw ValidationError.field('inventory', 'The inventory is being deleted.');
  if (inventory.kind)
    throw ValidationError.field('inventory', `A ${inventory.kind} inventory takes its hosts from elsewhere.`);
}

export async function checkHost(context: WriteContext): Promise<void> {
  const { trx, input, before } = context;
  assertSameInventory(context);
  if (input.name !== undefined) {
    assertPlainName(input.name);
    const { host, port } = splitPort(input.name);
    input.name = host;
    if (port !== null) input.variables = await addPort(input.variables ?? before?.variables ?? '', port);
  }
  await checkMember(context, 'hosts', trx);
}

const reservedGroups = new Set(['all', '_meta']);

export async function checkGroup(context: WriteContext): Promise<void> {
  assertSameInventory(context);
  const { name } = context.input;
  if (name !== undefined) {
    assertPlainName(name);
    if (reservedGroups.has(name))
      throw ValidationError.field('name', `${name} is a reserved name and cannot be used for a group.`);
  }
  await checkMember(context, 'groups', context.trx);
}

async function checkMember({ input, before }: WriteContext, table: 'hosts' | 'groups', trx: any): Promise<void> {
  const inventoryId = before?.inventory_id ?? input.inventory_id;
  if (!before) await assertTakesMembers(trx, inventoryId);
  if (input.name !== undefined && input.name !== before?.name) await claimName(trx, table, inventoryId, input.name);
}

export function checkInventory({ call, input, before, sent }: WriteContext): void {
  const { kind } = call.body;
  if (before && kind !== undefined && kind !== null && kind !== before.kind) {
    throw new ApiError(405, { error: 'The kind of an inventory cannot be changed.' });
  }
  if (!before && input.kind)
    throw ValidationError.field('kind', `Inventories of kind ${input.kind} are not available yet.`);
  if (before?.pending_deletion) throw new ApiError(400, { error: 'The inventory is being deleted.' });
  if (!before && input.organization_id === null)
    throw ValidationError.field('organization', 'This field may not be null.');
  if (sent.has('host_filter') && !input.host_filter) input.host_filter = null;
  if (input.host_filter)
    throw ValidationError.field(
      'host_filter',
      'Only smart inventories, which are not available yet, have a host filter.',
    );
}
