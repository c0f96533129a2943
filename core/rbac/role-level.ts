import { type Actor, ApiError, type Builder } from '@tapline/plugin-sdk';
import { holds, narrow } from './condition.ts';
import { isRoleType, roleDefinitions } from './definitions.ts';

/**
 * `?role_level=<role_field>`: leaves the records on which the caller holds that role by any path. A role that the type does not have leaves none.
 *
 * @throws ApiError 400 for types without roles
 */
export function narrowToRoleLevel(
  builder: Builder,
  type: string,
  field: string,
  actor: Actor | null,
  alias: string,
): void {
  // clients ask it of system job templates too, which have no roles: administrators and auditors have them all
  if (type === 'system_job_template')
    return narrow(builder, actor !== null && (actor.is_superuser || actor.is_system_auditor));
  if (!isRoleType(type)) throw new ApiError(400, { detail: `role_level cannot be used here: ${type} has no roles.` });
  narrow(builder, Object.hasOwn(roleDefinitions[type], field) && holds(actor, type, field, alias));
}
