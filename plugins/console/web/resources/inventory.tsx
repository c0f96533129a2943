import { ActButton, historyTab, linkTab, listTab, may, type Resource, type TabProps } from '@tapline/console-kit';
import { accessTab } from '../access/access-tab.tsx';
import { LazySmartFilter } from '../inventory/lazy-smart-filter.ts';
import { treeTab } from '../inventory/tree-tab.tsx';

export const inventory: Resource = {
  path: 'inventories',
  type: 'inventory',
  one: 'inventory',
  many: 'inventories',
  intro: 'The hosts and groups that a run works on.',
  columns: ['name', 'organization', 'kind', 'total_hosts', 'total_groups', 'total_inventory_sources'],
  fields: ['name', 'description', 'organization', 'kind', 'host_filter', 'variables'],
  facts: ['total_hosts', 'total_groups', 'hosts_with_active_failures', 'pending_deletion'],
  custom: { host_filter: LazySmartFilter },
  actions: UpdateSources,
  tabs: [
    listTab({ id: 'hosts', label: 'Hosts', resource: 'hosts', field: 'inventory' }),
    listTab({ id: 'groups', label: 'Groups', resource: 'groups', field: 'inventory' }),
    treeTab,
    listTab({ id: 'inventory_sources', label: 'Sources', resource: 'inventory_sources', field: 'inventory' }),
    linkTab({ id: 'instance_groups', label: 'Instance groups', resource: 'instance_groups' }),
    historyTab,
    accessTab,
  ],
};

function UpdateSources({ row, reload }: TabProps) {
  if (!row['has_inventory_sources'] || !may(row, 'edit')) return null;
  return (
    <ActButton
      label="Update all sources"
      what={`of ${row['name']}`}
      path={`inventories/${row.id}/update_inventory_sources/`}
      done="The updates are started."
      onDone={reload}
    />
  );
}
