import {
  type Call,
  type Resource,
  type Row,
  type Rule,
  ValidationError,
  type WriteContext,
  defineResource,
  field,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import {
  assign,
  type Assigning,
  type AssignmentRow,
  type DefinitionRow,
  unassign,
} from '../../rbac/assignments/assign.ts';
import type { HolderType } from '../../rbac/assignments/follow-definition.ts';
import { type RoleType, roleDefinitions, roleTables } from '../../rbac/definitions.ts';
import { givesSomething } from '../../rbac/grant-rights.ts';
import type { RoleSettings } from '../../rbac/people.ts';
import { parent } from '../../rbac/role-rules.ts';
import { roleVisible } from '../../rbac/role-visibility.ts';
import { roleResources, type RoleRow } from '../../rbac/roles.ts';
import { allOf, anyOf, columnIs, superuser, via } from '../../rbac/rules.ts';
import type { Visible } from '../../runs/access.ts';

interface Services {
  settings: RoleSettings;
  visible: Visible;
}

/** Who administers the record; whom and what it may be given is for the grant itself to say. */
const administers = anyOf(
  superuser,
  ...(Object.keys(roleDefinitions) as RoleType[]).map((type) =>
    allOf(columnIs('record_type', type), parent('record_id', type, 'admin_role')),
  ),
);

const administersSomething: Rule = {
  name: 'administers something',
  row: givesSomething.row,
  query: (actor, builder) => void (actor?.is_superuser ? builder : builder.whereRaw('false')),
};

const byId = (column: string, help: string) =>
  field.string({ mode: 'create', nullable: true, sql: `{alias}.${column}::text`, help });

/** A grant under the name of a definition. It is made and removed, never changed. */
export function roleAssignmentResource({ settings, visible }: Services, holder: HolderType): Resource {
  const type = `role_${holder}_assignment`;
  return defineResource({
    type,
    path: `${type}s`,
    table: `${type}s`,
    label: `Role ${holder} assignment`,
    description: `That a ${holder} has what a role definition stands for, on one record or on the whole system.`,
    methods: { list: ['GET', 'POST'], detail: ['GET', 'DELETE'] },
    access: {
      see: allOf(via('role_id', 'roles', roleVisible), via(`${holder}_id`, `${holder}s`, visible(holder))),
      create: administersSomething,
      delete: administers,
    },
    // its roles tell of it, as wherever they are given
    stream: false,
    orderBy: ['id'],
    fields: {
      role_definition: field.ref('role_definition', { mode: 'create', required: true, nullable: false }),
      [holder]: field.ref(holder, { mode: 'create' }),
      content_type: field.string({
        mode: 'ro',
        nullable: true,
        sql: `(select d.content_type from role_definitions d where d.id = {alias}.role_definition_id)`,
      }),
      object_id: byId('record_id', 'Id of the record; none for what is system-wide.'),
      object_engine_id: byId('record_id', 'The same.'),
      object_ansible_id: byId('record_id', 'The same.'),
      [`${holder}_engine_id`]: byId(`${holder}_id`, `Id of the ${holder}.`),
      [`${holder}_ansible_id`]: byId(`${holder}_id`, `Id of the ${holder}.`),
      created_by: field.ref('user', { mode: 'ro' }),
    },
    related: ({ record_type: of, record_id: id }) => ({
      content_object: of ? `/api/v2/${roleTables[of as RoleType].path}/${id}/` : null,
    }),
    summaries: (db, rows) => contentObjects(db, rows),
    insert: (context) => make(settings, holder, context),
    remove: (trx, row, call) =>
      unassign(assigning(settings, trx, call), row as unknown as AssignmentRow, {
        type: holder,
        id: Number(row[`${holder}_id`]),
      }),
  });
}

const assigning = (settings: RoleSettings, trx: Knex, call: Call): Assigning => ({
  trx,
  actor: call.actor,
  settings,
  tell: (role, { type, id }, detach) =>
    call.linked(trx, { type: 'role', id: role.id }, `${type}s`, { type, id }, detach),
});

async function make(settings: RoleSettings, holder: HolderType, { trx, call, input }: WriteContext): Promise<Row> {
  const definition: DefinitionRow = await trx('role_definitions').where('id', Number(input.role_definition_id)).first();
  const object = oneOf(input, ['object_id', 'object_engine_id', 'object_ansible_id']);
  if (definition.record_type === null && object !== undefined)
    throw ValidationError.field('object_id', 'This definition is for the whole system: it takes no object.');
  if (definition.record_type !== null && object === undefined)
    throw ValidationError.field('object_id', 'This field is required.');
  const who = oneOf(input, [`${holder}_id`, `${holder}_engine_id`, `${holder}_ansible_id`], holder);
  if (who === undefined) throw ValidationError.field(holder, 'This field is required.');
  if (!(await call.visible(holder, [who])).has(who))
    throw ValidationError.field(holder, `Invalid pk "${who}" - object does not exist.`);
  const id = await assign(assigning(settings, trx, call), definition, object ?? null, { type: holder, id: who });
  return trx(`role_${holder}_assignments`).where({ id }).first();
}

/** The id that one of these names says. @throws ValidationError where several say one, or it is none */
function oneOf(input: Record<string, unknown>, names: readonly string[], field = names[0]!): number | undefined {
  const given = names.filter((name) => input[name] !== undefined && input[name] !== null && input[name] !== '');
  if (given.length > 1) throw ValidationError.field(field, `Only one of ${given.join(', ')} can be given.`);
  if (!given.length) return undefined;
  const text = String(input[given[0]!]);
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw ValidationError.field(
      given[0] === names[0] ? field : given[0]!,
      `Invalid pk "${text.slice(0, 100)}" - object does not exist.`,
    );
  return Number(text);
}

/** `summary_fields.content_object`, in one statement. */
async function contentObjects(db: Knex, rows: readonly Row[]): Promise<Map<number, Record<string, unknown>>> {
  const roles = rows.map(({ id, record_type, record_id }) => ({
    id,
    content_type: record_type,
    object_id: record_id,
  })) as RoleRow[];
  const named = await roleResources(db, roles);
  return new Map(
    [...named].map(([id, { resource_id, resource_name, resource_type }]) => [
      id,
      { content_object: { id: resource_id, name: resource_name, type: resource_type } },
    ]),
  );
}
