import { historyTab } from '../generic/history-tab.ts';
import { linkTab } from '../generic/link-tab.tsx';
import { factsTab } from '../inventory/facts-tab.tsx';
import type { Resource } from './resource.ts';

export const host: Resource = {
  path: 'hosts',
  type: 'host',
  one: 'host',
  many: 'hosts',
  columns: ['name', 'inventory', 'enabled'],
  fields: ['name', 'description', 'inventory', 'enabled', 'variables'],
  parent: ({ inventory }) => `/inventories/${inventory}?tab=hosts`,
  tabs: [factsTab, linkTab({ id: 'groups', label: 'Groups', resource: 'groups' }), historyTab],
};
