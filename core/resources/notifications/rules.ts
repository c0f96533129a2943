import { direct, parent } from '../../rbac/role-rules.ts';
import { anyOf, auditor } from '../../rbac/rules.ts';

/** contract/rbac.md §7: whoever looks after an organization's notifications; its auditors look on */
export const mayNotify = parent('organization_id', 'organization', 'notification_admin_role');

export const notificationAccess = {
  see: anyOf(mayNotify, direct('organization_id', 'auditor_role'), auditor),
  create: mayNotify,
  change: mayNotify,
  delete: mayNotify,
};
