import { listTab, type Resource, t } from '@tapline/console-kit';

export const credentialType: Resource = {
  path: 'credential_types',
  type: 'credential_type',
  one: t`credential type`,
  many: t`credential types`,
  intro: t`What a kind of credential asks for, and how runs are given it.`,
  columns: ['name', 'kind', 'managed'],
  fields: ['name', 'description', 'kind', 'inputs', 'injectors'],
  tabs: [listTab({ id: 'credentials', label: t`Credentials`, resource: 'credentials' })],
};
