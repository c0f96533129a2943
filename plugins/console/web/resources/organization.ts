import { historyTab, linkTab, listTab, type Resource } from '@tapline/console-kit';
import { accessTab } from '../access/access-tab.tsx';
import { notifyTab } from '../notifications/notify-tab.tsx';

export const organization: Resource = {
  path: 'organizations',
  type: 'organization',
  one: 'organization',
  many: 'organizations',
  intro: 'People, teams and everything that belongs to them.',
  columns: [
    'name',
    count('Inventories', 'inventories'),
    count('Projects', 'projects'),
    count('Templates', 'job_templates'),
    count('Teams', 'teams'),
    count('Users', 'users'),
  ],
  fields: ['name', 'description', 'max_hosts', 'default_environment'],
  tabs: [
    accessTab,
    historyTab,
    listTab({ id: 'teams', label: 'Teams', resource: 'teams', field: 'organization' }),
    linkTab({ id: 'users', label: 'Users', resource: 'users' }),
    listTab({ id: 'credentials', label: 'Credentials', resource: 'credentials', field: 'organization' }),
    notifyTab({ approvals: true }),
    linkTab({ id: 'instance_groups', label: 'Instance groups', resource: 'instance_groups' }),
  ],
};

function count(label: string, of: string) {
  return {
    label,
    narrow: true,
    cell: ({ summary_fields }: { summary_fields: Record<string, any> }) =>
      summary_fields['related_field_counts']?.[of] ?? '–',
  };
}
