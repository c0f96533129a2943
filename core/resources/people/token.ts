import { defineResource, field } from '@tapline/plugin-sdk';
import type { Resource } from '@tapline/plugin-sdk';
import { checkToken, issuedTokens, storeRefreshToken } from '../../accounts/check-token.ts';
import { parent } from '../../rbac/role-rules.ts';
import { anyOf, auditor, authenticated, owner, superuser, via } from '../../rbac/rules.ts';
import type { Settings } from '../../settings/settings.ts';

const hidden = '************';
const ofApplication = (field: string) =>
  via('application_id', 'applications', parent('organization_id', 'organization', field));
const keeper = anyOf(superuser, owner('user_id'), ofApplication('admin_role'));
const see = anyOf(auditor, owner('user_id'), ofApplication('admin_role'), ofApplication('auditor_role'));

export const tokenResource = ({ settings }: { settings: Pick<Settings, 'get'> }): Resource =>
  defineResource({
    type: 'o_auth2_access_token',
    stream: true,
    path: 'tokens',
    table: 'tokens',
    label: 'Token',
    description: 'Stands for a user, as far as its scope goes; its text is shown once, when it is made.',
    fields: {
      description: field.text(),
      user: field.ref('user', { mode: 'ro' }),
      token: field.string({ mode: 'ro', secret: true, column: 'token_hash' }),
      // of an application's token only; a personal one is not renewed
      refresh_token: field.computed({ compute: ({ application_id }) => (application_id === null ? null : hidden) }),
      application: field.ref('o_auth2_application', { mode: 'create' }),
      expires: field.datetime({ mode: 'ro' }),
      last_used: field.datetime({ mode: 'ro', nullable: true }),
      scope: field.string({ default: 'write' }),
    },
    access: { see, create: authenticated, change: keeper, delete: keeper },
    capabilities: { edit: 'change', delete: 'delete' },
    orderBy: ['id'],
    search: ['description'],
    hiddenColumns: ['token_hash'],
    validate: (context) => checkToken(settings, context),
    afterCreate: (context, row) => storeRefreshToken(settings, context, row),
    present(representation, _row, _view, call) {
      const issued = issuedTokens(call);
      representation.token = issued?.access ?? hidden;
      if (issued?.refresh) representation.refresh_token = issued.refresh;
    },
  });
