import {
  type Access,
  ApiError,
  defineResource,
  field,
  forbidden,
  type Resource,
  type Row,
  ValidationError,
  type WriteContext,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { copyAction } from '../../descriptors/write/copy-action.ts';
import { parent } from '../../rbac/role-rules.ts';
import { assertLinks, assertUseWhereItGoes } from '../../rbac/rights.ts';
import { allOf, columnIs, not } from '../../rbac/rules.ts';
import { environmentSeen } from './environment-seen.ts';
import { imageProblem } from './image-name.ts';

const ofOrganization = (name: string) => parent('organization_id', 'organization', name);
const kept = ofOrganization('execution_environment_admin_role');
const makes = allOf(kept, parent('credential_id', 'credential', 'use_role', { alsoEmpty: true }));

const access = {
  see: environmentSeen,
  create: makes,
  change: kept,
  delete: allOf(kept, not(columnIs('managed', true))),
} satisfies Access;
const copy = allOf(access.see, makes);

type EnvironmentRow = Row & {
  name: string;
  image: string;
  organization_id: number | null;
  credential_id: number | null;
  managed: boolean;
};

const fields = {
  name: field.string({ required: true }),
  description: field.text(),
  organization: field.ref('organization', { help: 'Empty: everybody may use it.' }),
  image: field.string({ required: true, max: 1024, help: '[host[:port]/]path[:tag][@digest]' }),
  managed: field.boolean({ mode: 'ro' }),
  credential: field.ref('credential', { help: 'Of the kind registry: where the image is fetched from.' }),
  pull: field.choice(
    [
      ['', '---------'],
      ['always', 'Always pull container before running.'],
      ['missing', 'Only pull the image if not present before running.'],
      ['never', 'Never pull container before running.'],
    ],
    { default: '' },
  ),
};

/** contract/inventory-credentials.md §13 */
export const executionEnvironmentResource = ({ db }: { db: Knex }): Resource =>
  defineResource({
    type: 'execution_environment',
    path: 'execution_environments',
    table: 'execution_environments',
    label: 'Execution environment',
    description: 'An image of a container in which the engine may run.',
    fields,
    access,
    rights: { copy },
    capabilities: { edit: 'change', delete: 'delete', copy: 'copy' },
    stream: true,
    orderBy: ['-id'],
    search: ['name', 'description'],
    naming: ['name'],
    summary: ['id', 'name', 'description', 'image'],
    unique: {
      execution_environments_name: {
        field: 'name',
        message: 'Execution environment with this Name already exists.',
      },
    },
    sublists: {
      unified_job_templates: { resource: 'unified_job_template', column: 'execution_environment_id' },
    },
    actions: {
      copy: copyAction({
        db,
        type: 'execution_environment',
        table: 'execution_environments',
        rules: { see: access.see, copy },
        columns: ({ description, image, organization_id, credential_id, pull }) => ({
          description,
          image,
          organization_id,
          credential_id,
          pull,
        }),
      }),
    },
    validate: checkEnvironment,
    async beforeDelete(_trx, { managed }) {
      if (managed) throw forbidden();
    },
  });

async function checkEnvironment(context: WriteContext<EnvironmentRow>): Promise<void> {
  const { trx, input, before, call } = context;
  if (before?.managed) assertPullOnly(context, before);
  const errors: Record<string, string[]> = {};
  const moved = before && input.organization_id !== undefined && input.organization_id !== before.organization_id;
  if (moved && input.organization_id !== null)
    errors['organization'] = ['It cannot move to another organization: copy it there.'];
  else if (moved && !call.actor?.is_superuser) throw new ApiError(403, 'Only a superuser may give it to everybody.');
  if (before) await assertLinks(context, [['credential_id', 'credential', 'use_role']]);
  await assertUseWhereItGoes(context, { image: 'image' });
  const image = input.image === undefined ? undefined : imageProblem(input.image);
  if (image) errors['image'] = [image];
  if (input.credential_id != null && input.credential_id !== before?.credential_id) {
    const credential = await trx('credentials as c')
      .join('credential_types as t', 't.id', 'c.credential_type_id')
      .where('c.id', input.credential_id)
      .first('t.kind');
    if (credential?.kind !== 'registry') errors['credential'] = ['Only a credential of the kind registry fits here.'];
  }
  if (Object.keys(errors).length) throw new ValidationError(errors);
}

/** What the service brings itself stays as it is, but for when it is fetched. */
function assertPullOnly({ input, sent }: WriteContext<EnvironmentRow>, before: EnvironmentRow): void {
  const column = (name: string) => (`${name}_id` in input ? `${name}_id` : name);
  const changed = [...sent].filter(
    (name) => name !== 'pull' && (input[column(name)] ?? null) !== (before[column(name)] ?? null),
  );
  if (changed.length) throw forbidden('Of a managed execution environment only `pull` may be changed.');
}
