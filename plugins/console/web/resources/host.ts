import { linkTab, type Resource } from '@tapline/console-kit';

export const host: Resource = {
  path: 'hosts',
  type: 'host',
  one: 'host',
  many: 'hosts',
  columns: ['name', 'inventory', 'enabled'],
  fields: ['name', 'description', 'inventory', 'enabled', 'variables'],
  parent: ({ inventory }) => `/inventories/${inventory}?tab=hosts`,
  tabs: [linkTab({ id: 'groups', label: 'Groups', resource: 'groups' })],
};
