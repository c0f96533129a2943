import { historyTab, linkTab, type Resource, t } from '@tapline/console-kit';
import { hostJobsTab } from '../inventory/jobs-tab.ts';
import { commandsTab, RunCommand } from '../inventory/run-command.tsx';

export const group: Resource = {
  path: 'groups',
  type: 'group',
  one: t`group`,
  many: t`groups`,
  columns: ['name', 'inventory'],
  fields: ['name', 'description', 'inventory', 'variables'],
  parent: ({ inventory }) => `/inventories/${inventory}?tab=groups`,
  actions: RunCommand,
  tabs: [
    linkTab({ id: 'hosts', label: t`Hosts`, resource: 'hosts' }),
    linkTab({ id: 'children', label: t`Groups within`, resource: 'groups' }),
    hostJobsTab,
    commandsTab,
    historyTab,
  ],
};
