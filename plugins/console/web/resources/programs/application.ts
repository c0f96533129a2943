import { listTab, type Resource } from '@tapline/console-kit';

export const application: Resource = {
  path: 'applications',
  type: 'o_auth2_application',
  one: 'application',
  many: 'applications',
  intro: 'Programs that people let act for them.',
  columns: ['name', 'organization', 'client_type', 'authorization_grant_type'],
  fields: [
    'name',
    'description',
    'organization',
    'authorization_grant_type',
    'client_type',
    'redirect_uris',
    'skip_authorization',
  ],
  facts: ['client_id'],
  shownOnce: { field: 'client_secret', label: 'Client secret' },
  tabs: [listTab({ id: 'tokens', label: 'Tokens', resource: 'tokens', field: 'application' })],
};
