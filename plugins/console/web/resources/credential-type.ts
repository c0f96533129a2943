import { listTab, type Resource } from '@tapline/console-kit';

export const credentialType: Resource = {
  path: 'credential_types',
  type: 'credential_type',
  one: 'credential type',
  many: 'credential types',
  intro: 'What a kind of credential asks for, and how runs are given it.',
  columns: ['name', 'kind', 'managed'],
  fields: ['name', 'description', 'kind', 'inputs', 'injectors'],
  tabs: [listTab({ id: 'credentials', label: 'Credentials', resource: 'credentials' })],
};
