import { type Resource, defineResource, field, forbidden } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { checkCredential, giveToOwner } from '../credentials/check-credential.ts';
import { copyAction } from '../credentials/copy-action.ts';
import { credentialOwners } from '../credentials/owners.ts';
import { maskInputs } from '../credentials/stored-inputs.ts';
import type { CorePermissions } from '../rbac/permissions.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { teamsWith } from './role-sublists.ts';

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

export const credentialResource = ({
  db,
  keyRing,
  permissions,
}: {
  db: Knex;
  keyRing: KeyRing;
  permissions: CorePermissions;
}): Resource =>
  defineResource({
    type: 'credential',
    path: 'credentials',
    table: 'credentials',
    label: 'Credential',
    description: 'Secrets and names by which runs reach machines, sources and services; secrets are never shown again.',
    fields,
    access: permissions.credential,
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
      owner_teams: { resource: 'team', where: teamsWith('credential', ['admin_role']) },
      owner_users: {
        resource: 'user',
        where: (builder, credential, alias) => void builder.where(`${alias}.id`, credential.user_id),
      },
    },
    actions: { copy: copyAction({ db, keyRing, rules: permissions.credential }) },
    related: (row) => ({ user: row.user_id ? `/api/v2/users/${row.user_id}/` : null }),
    summaries: credentialOwners,
    validate: (context) => checkCredential(keyRing, context),
    afterCreate: giveToOwner,
    async beforeDelete(_trx, row) {
      if (row.managed) throw forbidden('Managed credentials cannot be deleted.');
    },
    present: (representation, row) => void (representation.inputs = maskInputs(row.stored_inputs)),
  });
