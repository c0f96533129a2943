import { lazily, type Tab, type TabProps, t } from '@tapline/console-kit';

/** What a user or a team was given, record by record. */
export const rolesTab: Tab = {
  id: 'roles',
  label: t`Roles`,
  content: lazily<TabProps>(t`the roles`, async () => (await import('./roles-view.tsx')).RolesView),
};
