import type { Conclusion, EndedRun } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../../descriptors/compile.ts';
import { HostLimitError, importInventory, previewImport } from '../../inventory/import/import.ts';
import { stageOriginals } from '../../inventory/constructed/originals.ts';
import type { Doors } from '../../rbac/doors.ts';
import type { Settings } from '../../settings/settings.ts';
import type { SourceData } from './source-input.ts';

interface Deps {
  doors: Doors;
  settings: Settings;
  readonly catalog?: Catalog;
}

/** Takes what an update found over into its inventory, in the transaction that ends the run: with it, or not at all. */
export async function takeOver(deps: Deps, ended: EndedRun): Promise<Conclusion | void> {
  const { doors, settings } = deps;
  const { run, status } = ended;
  if (status !== 'successful') return undefined;
  if (run.template_id === null || run.inventory_id === null)
    return { status: 'failed', explanation: 'The source or its inventory was deleted while the update ran.' };
  const data = run.data as unknown as SourceData;
  const source = { ...data, id: run.template_id, inventory_id: run.inventory_id };
  const folder = { path: await ended.localFolder('result'), mostBytes: settings.get('INVENTORY_MAX_BYTES') };
  const originals = (trx: Knex) => stageOriginals({ ...deps, db: trx }, source.inventory_id);
  const options = { doors, ...(data.source === 'constructed' && { mend: originals }) };
  return {
    async before(trx) {
      const changes = await (data.preview ? previewImport : importInventory)(trx, folder, source, options);
      return { data: { ...data, changes } };
    },
    refused: (error) => (error instanceof HostLimitError ? { data: { ...data, org_host_limit_error: true } } : {}),
  };
}
