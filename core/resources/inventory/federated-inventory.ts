import { defineResource, type Resource } from '@tapline/plugin-sdk';
import { inventoryView, viewFields, type ViewServices } from './inventory-view.ts';

const below =
  'hosts input_inventories variable_data script activity_stream job_templates ad_hoc_commands access_list object_roles instance_groups copy labels'.split(
    ' ',
  );

/** Inventories that show the hosts and groups of others as they are: the same records as at `inventories/`. */
export const federatedInventoryResource = (services: ViewServices): Resource =>
  defineResource({
    ...inventoryView(services, { kind: 'federated', below, stored: async () => {} }),
    label: 'Federated inventory',
    description: 'A view over the hosts and groups of other inventories.',
    fields: viewFields(['federated', 'A view over other inventories']),
  });
