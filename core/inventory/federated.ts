import type { Knex } from 'knex';

export const isFederated = ({ kind }: { kind: string }): boolean => kind === 'federated';

/** SQL of the inventories that a federated one shows, by the SQL of its id; what is being deleted is left out. */
export const inputsOfFederated = (inventory: string) =>
  `select n.input_id from inventory_inputs n join inventories d on d.id = n.input_id and not d.pending_deletion
   where n.inventory_id = ${inventory}`;

/** The same of any inventory, by its alias: most show only themselves. */
export const shownBy = (alias: string) => `${inputsOfFederated(`${alias}.id`)} and ${alias}.kind = 'federated'`;

/** The same in their order. */
export async function federatedInputs(db: Knex, inventory: number): Promise<number[]> {
  const { rows } = await db.raw(`${inputsOfFederated('?')} order by n.position`, [inventory]);
  return rows.map(({ input_id: input }: { input_id: number }) => input);
}

/** The hosts that a run on these inventories works on, one per name: the enabled one of the last of them. */
export const enabledHosts = `select distinct on (h.name) h.name, h.id as host_id from hosts h
  where h.inventory_id = any (:inputs) and h.enabled order by h.name, array_position(:inputs::bigint[], h.inventory_id) desc`;
