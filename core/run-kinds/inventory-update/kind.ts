import type { RunKind } from '@tapline/plugin-sdk';
import { type EnvironmentDeps, inEnvironment } from '../execution/environment-of-run.ts';
import { secretTexts } from '../../credentials/of-run.ts';
import type { Doors } from '../../rbac/doors.ts';
import { updateExplains } from './explains.ts';
import { updateExtends } from './extends.ts';
import { updateDescriptor } from './inventory-update.ts';
import { planUpdate } from './plan.ts';
import { prepareUpdate, type PrepareDeps } from './prepare-update.ts';
import { inventoryUpdateAccess } from './rules.ts';
import { sourceResource, type SourceServices } from './source.ts';
import { takeOver } from './take-over.ts';

export interface InventoryUpdateServices extends SourceServices, PrepareDeps, EnvironmentDeps {
  doors: Doors;
}

/** A reading of an inventory source into its inventory. */
export const inventoryUpdateKind = (services: InventoryUpdateServices): RunKind => ({
  kind: 'inventory_update',
  template: 'inventory_source',
  needs: 'engine',
  noted: false,
  notifies: { page: 'inventory' },
  graph: 'inv_sync',
  access: inventoryUpdateAccess,
  resource: updateDescriptor,
  resources: [sourceResource(services)],
  extends: updateExtends(services),
  plan: planUpdate,
  prepare: (run) => inEnvironment(services, run, () => prepareUpdate(services, run)),
  secretsOf: (run) => secretTexts(services, run.credential_ids),
  finish: (ended) => takeOver(services, ended),
  tells: ({ inventory_id: inventory, template_id: source }) => ({
    inventory_id: inventory,
    inventory_source_id: source,
  }),
  explains: updateExplains,
});
