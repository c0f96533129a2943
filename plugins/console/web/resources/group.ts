import { linkTab, type Resource } from '@tapline/console-kit';

export const group: Resource = {
  path: 'groups',
  type: 'group',
  one: 'group',
  many: 'groups',
  columns: ['name', 'inventory'],
  fields: ['name', 'description', 'inventory', 'variables'],
  parent: ({ inventory }) => `/inventories/${inventory}?tab=groups`,
  tabs: [
    linkTab({ id: 'hosts', label: 'Hosts', resource: 'hosts' }),
    linkTab({ id: 'children', label: 'Groups within', resource: 'groups' }),
  ],
};
