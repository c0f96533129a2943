import { listTab, type Resource, t } from '@tapline/console-kit';

export const application: Resource = {
  path: 'applications',
  type: 'o_auth2_application',
  one: t`application`,
  many: t`applications`,
  intro: t`Programs that people let act for them.`,
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
  shownOnce: { field: 'client_secret', label: t`Client secret` },
  tabs: [listTab({ id: 'tokens', label: t`Tokens`, resource: 'tokens', field: 'application' })],
};
