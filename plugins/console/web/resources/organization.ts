import { historyTab, linkTab, listTab, type Resource, t } from '@tapline/console-kit';
import { accessTab } from '../access/access-tab.tsx';
import { notifyTab } from '../notifications/notify-tab.tsx';

export const organization: Resource = {
  path: 'organizations',
  type: 'organization',
  one: t`organization`,
  many: t`organizations`,
  intro: t`People, teams and everything that belongs to them.`,
  columns: [
    'name',
    count(t`Inventories`, 'inventories'),
    count(t`Projects`, 'projects'),
    count(t`Templates`, 'job_templates'),
    count(t`Teams`, 'teams'),
    count(t`Users`, 'users'),
  ],
  fields: ['name', 'description', 'max_hosts', 'default_environment'],
  tabs: [
    accessTab,
    historyTab,
    listTab({ id: 'teams', label: t`Teams`, resource: 'teams', field: 'organization' }),
    linkTab({ id: 'users', label: t`Users`, resource: 'users' }),
    listTab({ id: 'credentials', label: t`Credentials`, resource: 'credentials', field: 'organization' }),
    notifyTab({ approvals: true }),
    linkTab({ id: 'instance_groups', label: t`Instance groups`, resource: 'instance_groups', ordered: true }),
    linkTab({
      id: 'galaxy_credentials',
      label: t`Credentials for collections`,
      resource: 'credentials',
      list: 'credentials/?credential_type__kind=galaxy',
      ordered: true,
    }),
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
