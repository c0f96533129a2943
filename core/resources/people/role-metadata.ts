import type { Route } from '@tapline/plugin-sdk';
import { listOf, mapOf, record, text } from '../../descriptors/describe/json-schema.ts';
import { allowedPermissions, contentTypeOf } from '../../rbac/assignments/permission-names.ts';
import { type RoleType, roleDefinitions } from '../../rbac/definitions.ts';
import { authenticated } from '../../rbac/rules.ts';

/** What role definitions may hold. */
export const roleMetadataRoute: Route = {
  path: '/api/v2/role_metadata/',
  summary: 'Permissions of role definitions, by kind of record',
  access: { GET: authenticated },
  answers: { GET: { schema: record({ allowed_permissions: mapOf(listOf(text)) }) } },
  async handler() {
    const types = Object.keys(roleDefinitions) as RoleType[];
    const allowed_permissions = Object.fromEntries(
      types.map((type) => [contentTypeOf(type), allowedPermissions(type)]),
    );
    return { status: 200, body: { allowed_permissions } };
  },
};
