import {
  ActButton,
  historyTab,
  linkTab,
  listTab,
  may,
  type Page,
  type Resource,
  type Row,
  type TabProps,
  useQuery,
  t,
} from '@tapline/console-kit';
import { accessTab } from '../access/access-tab.tsx';
import { commandsTab, RunCommand } from '../inventory/run-command.tsx';
import { LazySmartFilter } from '../inventory/lazy-smart-filter.ts';
import { labelsTab } from '../labels/labels-tab.ts';
import { treeTab } from '../inventory/tree-tab.tsx';
import { usageTab } from '../usage/usage-tab.tsx';

export const inventory: Resource = {
  path: 'inventories',
  type: 'inventory',
  one: t`inventory`,
  many: t`inventories`,
  intro: t`The hosts and groups that a run works on.`,
  columns: ['name', 'organization', 'kind', 'total_hosts', 'total_groups', 'total_inventory_sources'],
  fields: ['name', 'description', 'organization', 'kind', 'host_filter', 'variables'],
  facts: ['total_hosts', 'total_groups', 'hosts_with_active_failures', 'pending_deletion'],
  custom: { host_filter: LazySmartFilter },
  actions: (props: TabProps) => (
    <>
      <RunCommand {...props} />
      <UpdateSources {...props} />
    </>
  ),
  tabs: [
    listTab({ id: 'hosts', label: t`Hosts`, resource: 'hosts', field: 'inventory' }),
    listTab({ id: 'groups', label: t`Groups`, resource: 'groups', field: 'inventory' }),
    treeTab,
    listTab({ id: 'inventory_sources', label: t`Sources`, resource: 'inventory_sources', field: 'inventory' }),
    linkTab({
      id: 'input_inventories',
      label: t`Input inventories`,
      resource: 'inventories',
      ordered: true,
      shown: ({ kind }) => kind === 'constructed' || kind === 'federated',
    }),
    linkTab({ id: 'instance_groups', label: t`Instance groups`, resource: 'instance_groups', ordered: true }),
    commandsTab,
    usageTab([
      { label: t`Templates`, list: 'job_templates/?inventory={id}' },
      { label: t`Workflows`, list: 'workflow_job_templates/?inventory={id}' },
      { label: t`Steps of workflows`, list: 'workflow_job_template_nodes/?inventory={id}' },
      { label: t`Schedules`, list: 'schedules/?inventory={id}' },
    ]),
    labelsTab,
    historyTab,
    accessTab,
  ],
};

/** For those who may update them: the inventory does not tell who may, its sources do, all the same. */
function UpdateSources({ row, reload }: TabProps) {
  const { data } = useQuery<Page<Row>>(
    row['has_inventory_sources'] ? `inventories/${row.id}/inventory_sources/?page_size=1` : null,
  );
  if (!data.value?.results.some((source) => may(source, 'start'))) return null;
  return (
    <ActButton
      label={t`Update all sources`}
      what={t`of ${row['name']}`}
      path={`inventories/${row.id}/update_inventory_sources/`}
      done={t`The updates are started.`}
      onDone={reload}
    />
  );
}
