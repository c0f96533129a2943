import { historyTab, linkTab, type Resource, t } from '@tapline/console-kit';
import { factsTab } from '../inventory/facts-tab.tsx';
import { hostJobsTab } from '../inventory/jobs-tab.ts';
import { commandsTab, RunCommand } from '../inventory/run-command.tsx';

export const host: Resource = {
  path: 'hosts',
  type: 'host',
  one: t`host`,
  many: t`hosts`,
  columns: ['name', 'inventory', 'enabled'],
  fields: ['name', 'description', 'inventory', 'enabled', 'variables'],
  parent: ({ inventory }) => `/inventories/${inventory}?tab=hosts`,
  actions: RunCommand,
  tabs: [
    factsTab,
    linkTab({ id: 'groups', label: t`Groups`, resource: 'groups' }),
    hostJobsTab,
    commandsTab,
    historyTab,
  ],
};
