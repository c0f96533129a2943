import { ApiError, type Row, type Sublist } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';

type Inventory = Row & { kind: string; name: string; pending_deletion: boolean };

const refused = (error: string) => new ApiError(400, { error });

/** What an inventory can be made of, by its kind. */
const fitting: Record<string, readonly string[]> = { constructed: ['', 'smart'], federated: [''] };
const onlyThose = () => refused('Only constructed and federated inventories are made of others.');

async function assertFits(trx: Knex, parent: Inventory, input: Inventory): Promise<void> {
  const kinds = fitting[parent.kind];
  if (!kinds) throw onlyThose();
  if (!kinds.includes(input.kind))
    throw refused(`A ${parent.kind} inventory cannot be made of one of the kind ${input.kind}.`);
  // held, so that it is not deleted meanwhile
  const there: Inventory | undefined = await trx('inventories').where({ id: input.id }).forKeyShare().first();
  if (!there || there.pending_deletion) throw refused(`The inventory ${input.name} is being deleted.`);
}

/** `inventories/N/input_inventories/`, in the order in which they were attached: of what several say, the last counts. */
export const inputInventories: Sublist = {
  resource: 'inventory',
  through: { table: 'inventory_inputs', parent: 'inventory_id', child: 'input_id', ordered: true },
  attach: true,
  check: (trx, parent, input) => assertFits(trx, parent as Inventory, input as Inventory),
  refuse(_call, { kind, pending_deletion: going }) {
    if (going) throw refused('The inventory is being deleted.');
    if (!fitting[String(kind)]) throw onlyThose();
  },
};
