import { historyTab, linkTab, type Resource } from '@tapline/console-kit';
import { accessTab } from '../access/access-tab.tsx';

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
