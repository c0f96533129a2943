import { type Resource, ValidationError, type WriteContext, defineResource, field } from '@tapline/plugin-sdk';
import { endDefinition, followDefinition, isGivenToTeams } from '../../rbac/assignments/follow-definition.ts';
import {
  allowedPermissions,
  contentTypeOf,
  PermissionProblem,
  rolesGiving,
  typeOfContent,
} from '../../rbac/assignments/permission-names.ts';
import { type RoleType, roleDefinitions } from '../../rbac/definitions.ts';
import { allOf, authenticated, columnIs, superuser } from '../../rbac/rules.ts';

const types = Object.keys(roleDefinitions) as RoleType[];
const writable = allOf(superuser, columnIs('managed', false));

/** Names for roles: managed ones for each role there is, others for some roles of a record together. */
export const roleDefinitionResource = (): Resource =>
  defineResource({
    type: 'role_definition',
    path: 'role_definitions',
    table: 'role_definitions',
    label: 'Role definition',
    description: 'Permissions on a kind of record, which are given together by an assignment to a user or team.',
    access: { see: authenticated, create: superuser, change: writable, delete: writable },
    capabilities: { edit: 'change', delete: 'delete' },
    stream: true,
    orderBy: ['id'],
    search: ['name', 'description'],
    summary: ['id', 'name', 'description', 'managed'],
    naming: ['name'],
    unique: { role_definitions_name: { field: 'name', message: 'Role definition with this Name already exists.' } },
    fields: {
      name: field.string({ required: true }),
      description: field.text(),
      managed: field.boolean({ mode: 'ro', help: 'It stands for one role, and cannot be changed.' }),
      permissions: field.list({
        required: true,
        help: 'Permissions that some roles of the record give, and no others.',
      }),
      content_type: field.string({
        mode: 'create',
        nullable: true,
        help: `The kind of record: ${types.map(contentTypeOf).join(', ')}; null for the two roles of the whole system.`,
      }),
      created_by: field.ref('user', { mode: 'ro' }),
      modified_by: field.ref('user', { mode: 'ro' }),
    },
    sublists: {
      user_assignments: { resource: 'role_user_assignment', column: 'role_definition_id' },
      team_assignments: { resource: 'role_team_assignment', column: 'role_definition_id' },
    },
    validate: resolveRoles,
    async afterUpdate({ trx, before }, row) {
      const [fields, old] = [row.role_fields as string[], before.role_fields as string[]];
      const gained = fields.filter((name) => !old.includes(name));
      const lost = old.filter((name) => !fields.includes(name));
      const personal = gained.some((name) => roleDefinitions[row.record_type as RoleType][name]?.userOnly);
      if (personal && (await isGivenToTeams(trx, row.id)))
        throw ValidationError.field(
          'permissions',
          'Teams have this definition, and these permissions are for users only.',
        );
      if (gained.length || lost.length) await followDefinition(trx, row.id, { gained, lost });
    },
    beforeDelete: (trx, { id, role_fields: fields }) => endDefinition(trx, id, fields as string[]),
  });

/** The roles that the permissions stand for, which are stored beside them. */
function resolveRoles({ input, before }: WriteContext): void {
  const type = (before ? before.record_type : typeOf(input.content_type)) as RoleType;
  input.record_type = type;
  if (input.permissions === undefined) return;
  const permissions = input.permissions as unknown[];
  if (!Array.isArray(permissions) || !permissions.length || !permissions.every((name) => typeof name === 'string'))
    throw ValidationError.field('permissions', `Must be a list of names such as ${allowedPermissions(type)[0]}.`);
  try {
    input.role_fields = rolesGiving(type, permissions);
  } catch (error) {
    throw error instanceof PermissionProblem ? ValidationError.field('permissions', error.message) : error;
  }
}

function typeOf(contentType: unknown): RoleType {
  const known = `it must be one of ${types.map(contentTypeOf).join(', ')}.`;
  if (typeof contentType !== 'string')
    throw ValidationError.field('content_type', `Only managed definitions are for the whole system: ${known}`);
  const type = typeOfContent(contentType);
  if (!type)
    throw ValidationError.field(
      'content_type',
      `No roles are given on ${JSON.stringify(contentType.slice(0, 100))}: ${known}`,
    );
  return type;
}
