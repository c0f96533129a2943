import type { Resource } from '@tapline/console-kit';
import { t } from '@tapline/console-kit/texts';

export const token: Resource = {
  path: 'tokens',
  type: 'o_auth2_access_token',
  one: t`token`,
  many: t`tokens`,
  intro: t`By which programs log in as you. Nobody is shown a token again after it was made.`,
  order: '-id',
  nameField: 'description',
  columns: ['description', 'user', 'application', 'scope', 'expires'],
  filters: ['description', 'user', 'application', 'scope', 'expires'],
  fields: ['description', 'application', 'scope'],
  facts: ['user', 'created', 'expires'],
  relations: { application: 'applications/' },
  shownOnce: { field: 'token', label: t`Token` },
};
