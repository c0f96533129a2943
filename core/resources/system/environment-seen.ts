import { parent } from '../../rbac/role-rules.ts';
import { allOf, anyOf, authenticated, columnIs } from '../../rbac/rules.ts';

/** Who sees an execution environment: everybody, where no organization has it. */
export const environmentSeen = anyOf(
  allOf(authenticated, columnIs('organization_id', null)),
  parent('organization_id', 'organization', 'read_role'),
);
