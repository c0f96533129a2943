import { historyTab, linkTab, type Resource, t } from '@tapline/console-kit';
import { accessTab } from '../access/access-tab.tsx';
import { rolesTab } from '../access/roles-tab.ts';

export const team: Resource = {
  path: 'teams',
  type: 'team',
  one: t`team`,
  many: t`teams`,
  intro: t`Users who are given roles together.`,
  columns: ['name', 'organization'],
  fields: ['name', 'description', 'organization'],
  tabs: [linkTab({ id: 'users', label: t`Members`, resource: 'users' }), rolesTab, historyTab, accessTab],
};
