import { type Resource, defineResource, field } from '@tapline/plugin-sdk';
import { roleTables } from '../../rbac/definitions.ts';
import { roleVisible } from '../../rbac/role-visibility.ts';
import type { RoleSettings } from '../../rbac/people.ts';
import { whereChildren, whereParents } from '../../rbac/role-links.ts';
import { roleDescription, roleName, roleResources, type RoleRow } from '../../rbac/roles.ts';
import { teamsOfRole, usersOfRole } from './role-sublists.ts';

/** For filters only: the answer names a role by its record and its name. */
const unseen = { mode: 'wo' } as const;

/** Made and removed with their records, never through the API. */
export const roleResource = (services: { settings: RoleSettings }): Resource =>
  defineResource({
    type: 'role',
    path: 'roles',
    table: 'roles',
    label: 'Role',
    description: 'A set of rights on one record, or on the system, which users and teams are given.',
    methods: { list: ['GET'], detail: ['GET'] },
    fields: {
      name: field.computed({ compute: roleName }),
      description: field.computed({ compute: roleDescription }),
      role_field: field.string(unseen),
      singleton_name: field.string({ ...unseen, nullable: true }),
      object_id: field.integer({ ...unseen, nullable: true }),
      model: field.string({ ...unseen, nullable: true, sql: `replace({alias}.content_type, '_', '')` }),
    },
    access: { see: roleVisible },
    orderBy: ['id'],
    // clients filter by content_type__model: the kind is a column of the role itself
    spans: { content_type: { resource: 'role', column: 'id' } },
    sublists: {
      users: usersOfRole(services),
      teams: teamsOfRole(services),
      parents: { resource: 'role', where: (builder, role: RoleRow, alias) => whereParents(builder, role, alias) },
      children: { resource: 'role', where: (builder, role: RoleRow, alias) => whereChildren(builder, role, alias) },
    },
    related: (row) => links(row as unknown as RoleRow),
    summaries: async (db, rows) =>
      new Map(
        [...(await roleResources(db, rows as unknown as RoleRow[]))].map(([id, resource]) => [id, { ...resource }]),
      ),
  });

const links = ({ content_type: type, object_id: id }: RoleRow): Record<string, string | null> => ({
  parents: null,
  children: null,
  // clients take whatever else is here for the record
  ...(type && { [type]: `/api/v2/${roleTables[type].path}/${id}/` }),
});
