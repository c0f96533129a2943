import { linkTab, type Resource, runsTab, t } from '@tapline/console-kit';
import { accessTab } from '../access/access-tab.tsx';
import { Load } from '../system/load.tsx';

export const instanceGroup: Resource = {
  path: 'instance_groups',
  type: 'instance_group',
  one: t`instance group`,
  many: t`instance groups`,
  intro: t`Nodes where runs may be carried out.`,
  columns: ['name', 'instances', { label: t`Load`, cell: (row) => <Load row={row} /> }, 'jobs_running'],
  fields: [
    'name',
    'max_concurrent_jobs',
    'max_forks',
    'policy_instance_percentage',
    'policy_instance_minimum',
    'policy_instance_list',
  ],
  tabs: [runsTab('jobs', t`Runs`), linkTab({ id: 'instances', label: t`Instances`, resource: 'instances' }), accessTab],
};
