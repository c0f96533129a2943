import { defineResource, field, type Resource } from '@tapline/plugin-sdk';
import { checkInputSource } from '../../credentials/check-input-source.ts';
import { assertLinks, type LinkRight } from '../../rbac/rights.ts';
import { parent } from '../../rbac/role-rules.ts';
import { allOf } from '../../rbac/rules.ts';

const ofTarget = (role: string) => parent('target_credential_id', 'credential', role);
const kept = allOf(ofTarget('admin_role'), parent('source_credential_id', 'credential', 'use_role'));

const links: LinkRight[] = [
  ['target_credential_id', 'credential', 'admin_role'],
  ['source_credential_id', 'credential', 'use_role'],
];

export const credentialInputSourceResource = (): Resource =>
  defineResource({
    type: 'credential_input_source',
    path: 'credential_input_sources',
    table: 'credential_input_sources',
    label: 'Credential input source',
    description: 'Where an input of a credential is looked up when a run starts, in place of a stored value.',
    fields: {
      description: field.text(),
      input_field_name: field.string({ required: true, max: 1024 }),
      metadata: field.json({ help: "Which secret of the source, by the fields of its type's metadata." }),
      target_credential: field.ref('credential', { required: true, nullable: false }),
      source_credential: field.ref('credential', { required: true, nullable: false }),
    },
    access: {
      see: ofTarget('read_role'),
      create: kept,
      change: kept,
      delete: ofTarget('admin_role'),
    },
    capabilities: { delete: 'delete' },
    stream: true,
    orderBy: ['id'],
    search: ['description', 'input_field_name'],
    unique: {
      credential_input_sources_target_field: {
        field: '__all__',
        message: 'Credential input source with this Target credential and Input field name already exists.',
      },
    },
    async validate(context) {
      if (context.before) await assertLinks(context, links);
      await checkInputSource(context);
    },
  });
