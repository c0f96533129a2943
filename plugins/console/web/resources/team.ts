import { historyTab } from '../generic/history-tab.ts';
import { accessTab } from '../access/access-tab.tsx';
import { linkTab } from '../generic/link-tab.tsx';
import type { Resource } from './resource.ts';

export const team: Resource = {
  path: 'teams',
  type: 'team',
  one: 'team',
  many: 'teams',
  intro: 'Users who are given roles together.',
  columns: ['name', 'organization'],
  fields: ['name', 'description', 'organization'],
  tabs: [linkTab({ id: 'users', label: 'Members', resource: 'users' }), historyTab, accessTab],
};
