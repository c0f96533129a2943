import { ApiError, type Resource, type Row, defineResource, field, forbidden } from '@tapline/plugin-sdk';
import { checkCredential, giveToOwner } from '../../credentials/check-credential.ts';
import { copyCredentialAction } from '../../credentials/copy-action.ts';
import type { LookupDeps } from '../../credentials/lookups.ts';
import { credentialOwners } from '../../credentials/owners.ts';
import { testCredentialAction } from '../../credentials/test-actions.ts';
import type { Inputs } from '../../credentials/input-schema.ts';
import { maskInputs } from '../../credentials/stored-inputs.ts';
import { credentialAccess, credentialRights } from '../../credentials/rules.ts';
import type { RoleSettings } from '../../rbac/people.ts';
import { teamsWith } from '../people/role-sublists.ts';

const ofType = (expression: string) =>
  `(select ${expression} from credential_types ct where ct.id = {alias}.credential_type_id)`;

const fields = {
  name: field.string({ required: true }),
  description: field.text(),
  organization: field.ref('organization'),
  user: field.ref('user', { mode: 'wo' }),
  team: field.integer({ mode: 'wo', nullable: true, apiType: 'id' }),
  credential_type: field.ref('credential_type', { required: true, nullable: false }),
  managed: field.boolean({ mode: 'ro' }),
  inputs: field.json({ secret: true, help: 'The fields of the credential type; secrets read $encrypted$.' }),
  kind: field.string({ mode: 'ro', nullable: true, filterable: false, sql: ofType('ct.namespace') }),
  cloud: field.boolean({ mode: 'ro', filterable: false, sql: ofType(`ct.kind = 'cloud'`) }),
  kubernetes: field.boolean({ mode: 'ro', filterable: false, sql: ofType(`ct.kind = 'kubernetes'`) }),
};

interface Services extends LookupDeps {
  settings: RoleSettings;
}

export function credentialResource(services: Services): Resource {
  const { db, keyRing, settings } = services;
  const access = credentialAccess(settings);
  return defineResource({
    type: 'credential',
    path: 'credentials',
    table: 'credentials',
    label: 'Credential',
    description: 'Secrets and names by which runs reach machines, sources and services; secrets are never shown again.',
    fields,
    access,
    rights: credentialRights,
    capabilities: { edit: 'change', delete: 'delete', copy: 'copy', use: 'use' },
    stream: true,
    orderBy: ['name', 'id'],
    search: ['name', 'description'],
    naming: ['name', 'credential_type', 'organization'],
    summary: ['id', 'name', 'description', 'kind', 'cloud', 'kubernetes', 'credential_type_id'],
    // a secret field's column is never read by itself; `present` shows it masked
    extraSql: { stored_inputs: '{alias}.inputs' },
    unique: {
      credentials_name_organization_type: {
        field: '__all__',
        message: 'Credential with this Name, Organization and Credential type already exists.',
      },
    },
    sublists: {
      input_sources: { resource: 'credential_input_source', column: 'target_credential_id', create: true },
      owner_teams: { resource: 'team', where: teamsWith('credential', ['admin_role']) },
      owner_users: {
        resource: 'user',
        where: (builder, credential: Row & { user_id: number | null }, alias) =>
          void builder.where(`${alias}.id`, credential.user_id),
      },
    },
    actions: {
      copy: copyCredentialAction({ db, keyRing, rules: { see: access.see, copy: credentialRights.copy } }),
      test: testCredentialAction(services, { use: credentialRights.use, change: access.change }),
    },
    related: (row) => ({ user: row.user_id ? `/api/v2/users/${row.user_id}/` : null }),
    summaries: credentialOwners,
    validate: (context) => checkCredential(keyRing, context),
    afterCreate: giveToOwner,
    async beforeDelete(trx, row) {
      if (row.managed) throw forbidden('Managed credentials cannot be deleted.');
      if (await trx('templates').where({ signature_validation_credential_id: row.id }).first('id'))
        throw new ApiError(409, { error: 'Projects are verified by this credential: give them another one first.' });
    },
    present: (shown, row) => void (shown['inputs'] = maskInputs(row['stored_inputs'] as Inputs)),
  });
}
