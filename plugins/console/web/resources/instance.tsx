import { linkTab, type Resource, runsTab, t } from '@tapline/console-kit';
import { Load } from '../system/load.tsx';
import { NodeActions } from '../system/node-actions.tsx';

export const instance: Resource = {
  path: 'instances',
  type: 'instance',
  one: t`instance`,
  many: t`instances`,
  nameField: 'hostname',
  order: 'hostname',
  intro: t`Processes that carry out runs.`,
  columns: [
    'hostname',
    'node_state',
    { label: t`Load`, cell: (row) => <Load row={row} /> },
    'jobs_running',
    'enabled',
    'last_seen',
  ],
  facts: ['node_state', 'errors', 'enabled', 'capacity', 'consumed_capacity', 'jobs_running', 'last_seen'],
  readOnly: true,
  actions: NodeActions,
  tabs: [
    runsTab('jobs', t`Runs`),
    linkTab({ id: 'instance_groups', label: t`Instance groups`, resource: 'instance_groups' }),
  ],
};
