import { historyTab, listTab, type Resource, t } from '@tapline/console-kit';
import { rolesTab } from '../access/roles-tab.ts';

export const user: Resource = {
  path: 'users',
  type: 'user',
  one: t`user`,
  many: t`users`,
  intro: t`Whoever logs in.`,
  nameField: 'username',
  order: 'username',
  columns: ['username', 'first_name', 'last_name', 'is_superuser', 'last_login'],
  fields: ['username', 'password', 'first_name', 'last_name', 'email', 'is_superuser', 'is_system_auditor'],
  lasting: ['password'],
  tabs: [
    rolesTab,
    listTab({ id: 'organizations', label: t`Organizations`, resource: 'organizations' }),
    listTab({ id: 'teams', label: t`Teams`, resource: 'teams' }),
    listTab({ id: 'tokens', label: t`Tokens`, resource: 'tokens' }),
    historyTab,
  ],
};
