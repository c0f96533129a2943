import {
  type Resource,
  type Row,
  ValidationError,
  type WriteContext,
  defineResource,
  field,
  forbidden,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { checkInjectors, checkInputSchema } from '../../credentials/custom-type.ts';
import { checkTemplates } from '../../credentials/injection/check-injectors.ts';
import type { InputSchema } from '../../credentials/input-schema.ts';
import type { LookupDeps } from '../../credentials/lookups.ts';
import { testTypeAction } from '../../credentials/test-actions.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { allOf, authenticated, columnIs, superuser } from '../../rbac/rules.ts';

const kinds = [
  ['ssh', 'Machine'],
  ['vault', 'Vault'],
  ['net', 'Network'],
  ['scm', 'Source Control'],
  ['cloud', 'Cloud'],
  ['registry', 'Container Registry'],
  ['token', 'Personal Access Token'],
  ['insights', 'Insights'],
  ['external', 'External'],
  ['kubernetes', 'Kubernetes'],
  ['galaxy', 'Galaxy/Automation Hub'],
  ['cryptography', 'Cryptography'],
] as const;
const customKinds = ['cloud', 'net'];

type TypeRow = Row & {
  managed: boolean;
  kind: string;
  inputs: InputSchema;
  injectors: object;
};

type Judge = Pick<Sandbox, 'inspectEach'>;

async function checkType(sandbox: Judge, { trx, input, before }: WriteContext<TypeRow>): Promise<void> {
  if (before?.managed) throw forbidden('Managed credential types cannot be changed.');
  if (input.kind !== undefined && input.kind !== before?.kind && !customKinds.includes(input.kind)) {
    throw ValidationError.field('kind', `"${input.kind}" is not a valid choice.`);
  }
  if (input.inputs !== undefined) input.inputs = checkInputSchema(input.inputs);
  if (input.injectors !== undefined) input.injectors = checkInjectors(input.injectors);
  const { inputs = {}, injectors = {} } = { ...before, ...input };
  if (input.inputs !== undefined || input.injectors !== undefined) await checkTemplates(sandbox, injectors, inputs);
  if (
    before &&
    input.inputs !== undefined &&
    (await isInUse(trx, before.id)) &&
    !(await isSameJson(trx, input.inputs, before.inputs))
  ) {
    throw forbidden('The inputs of a credential type that is in use cannot be changed.');
  }
}

const isInUse = async (trx: Knex, id: number) =>
  Boolean(await trx('credentials').where({ credential_type_id: id }).first('id'));

/** Whatever the order of keys. */
async function isSameJson(trx: Knex, one: unknown, other: unknown): Promise<boolean> {
  const { rows } = await trx.raw('select ?::jsonb = ?::jsonb as same', [JSON.stringify(one), JSON.stringify(other)]);
  return rows[0].same;
}

const ownType = allOf(superuser, columnIs('managed', false));

export const credentialTypeResource = (services: LookupDeps & { sandbox: Judge }): Resource =>
  defineResource({
    type: 'credential_type',
    path: 'credential_types',
    table: 'credential_types',
    label: 'Credential type',
    description: 'What a kind of credential asks for, and how runs are given it.',
    fields: {
      name: field.string({ required: true }),
      description: field.text(),
      kind: field.choice(kinds, { required: true }),
      namespace: field.string({ mode: 'ro', nullable: true }),
      managed: field.boolean({ mode: 'ro' }),
      inputs: field.json({ help: 'The fields of a credential of this type.' }),
      injectors: field.json(),
    },
    access: { see: authenticated, create: superuser, change: ownType, delete: ownType },
    capabilities: { edit: 'change', delete: 'delete' },
    stream: true,
    orderBy: ['kind', 'name'],
    search: ['name', 'description'],
    naming: ['name', 'kind'],
    spans: { credentials: { resource: 'credential', column: 'credential_type_id' } },
    unique: {
      credential_types_name_kind: {
        field: '__all__',
        message: 'Credential type with this Name and Kind already exists.',
      },
    },
    // a type is used by whoever may make credentials, managed ones above all
    sublists: {
      credentials: { resource: 'credential', column: 'credential_type_id', create: true, write: authenticated },
    },
    actions: { test: testTypeAction(services, { change: superuser }) },
    validate: (context) => checkType(services.sandbox, context),
    async beforeDelete(trx, row) {
      if (row.managed) throw forbidden('Managed credential types cannot be deleted.');
      if (await isInUse(trx, row.id)) throw forbidden('Credential types that are in use cannot be deleted.');
    },
  });
