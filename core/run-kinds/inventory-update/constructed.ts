import type { ExecSpec } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../../descriptors/compile.ts';
import { type InventoryDocument, inventoryDocument } from '../../inventory/document.ts';
import { contentsElsewhere } from '../../inventory/host-ids.ts';
import { inputsOf } from '../../inventory/constructed/originals.ts';
import { staticInventory } from '../execution/static-inventory.ts';

export interface ConstructedInput {
  files: ExecSpec['files'];
  /** arguments of -i, in this order: the inputs, then what is made of them */
  inventories: string[];
  env: Record<string, string>;
}

/**
 * What the engine's own plugin for constructed inventories reads: the inputs in their order, each host with the id that it has
 * there, and the plugin's configuration. Pure.
 *
 * @param variables of the source: groups, compose, keyed_groups …
 */
export function constructedFiles(
  documents: readonly InventoryDocument[],
  variables: Readonly<Record<string, unknown>>,
): ConstructedInput {
  const inputs = documents.map((document, at) => ({
    path: `source/${String(at).padStart(6, '0')}.json`,
    content: staticInventory(document),
  }));
  const configuration = JSON.stringify({ ...variables, plugin: 'ansible.builtin.constructed' });
  const files = [...inputs, { path: 'source/constructed.yml', content: configuration }];
  // else a configuration that fails would be taken for a list of hosts, or for one of several sources that may be left out
  const env = { ANSIBLE_INVENTORY_ENABLED: 'auto,yaml', ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED: '1' };
  return { files, inventories: files.map(({ path }) => `{workspace}/${path}`), env };
}

/** The documents of the inputs of a constructed inventory with all hosts, disabled ones too, and where each host is from. @throws SpecError where one is too large */
export async function inputDocuments(
  deps: { db: Knex; readonly catalog?: Catalog },
  inventory: number,
  mostBytes: number,
): Promise<InventoryDocument[]> {
  const documents: InventoryDocument[] = [];
  for (const input of await inputsOf(deps.db, inventory)) {
    // one after the other: each may be as large as an inventory may be
    // oxlint-disable-next-line no-await-in-loop
    const elsewhere = await contentsElsewhere(deps, input);
    const options = { hostvars: true, towervars: true, all: true, mostBytes, ...elsewhere };
    // oxlint-disable-next-line no-await-in-loop
    documents.push(await inventoryDocument(deps.db, input.id, options));
  }
  return documents;
}
