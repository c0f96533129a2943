import { type CustomFieldProps, historyTab, lazily, may, type Resource, type TabProps, t } from '@tapline/console-kit';

const fields = () => import('../credential/source-fields.tsx');

export const credentialInputSource: Resource = {
  path: 'credential_input_sources',
  type: 'credential_input_source',
  one: t`lookup`,
  many: t`lookups`,
  intro: t`Inputs of credentials that runs look up elsewhere.`,
  nameField: 'input_field_name',
  columns: ['input_field_name', 'target_credential', 'source_credential', 'metadata', 'description'],
  fields: ['target_credential', 'input_field_name', 'source_credential', 'metadata', 'description'],
  filters: ['input_field_name', 'target_credential', 'source_credential'],
  relations: { target_credential: 'credentials/', source_credential: 'credentials/?credential_type__kind=external' },
  custom: {
    input_field_name: lazily<CustomFieldProps>(t`the inputs`, async () => (await fields()).InputName),
    metadata: lazily<CustomFieldProps>(t`the secret`, async () => (await fields()).SourceMetadata),
  },
  parent: (row) => `/credentials/${row['target_credential']}?tab=input_sources`,
  // whoever may delete one may change it; the API tells of the first alone
  actions: ({ row }: TabProps) =>
    may(row, 'delete') ? <a class="button" href={`/credential_input_sources/${row.id}/edit`}>{t`Edit`}</a> : null,
  tabs: [historyTab],
};
