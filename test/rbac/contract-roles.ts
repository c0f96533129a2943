/** Section 3 of the contract on roles, typed off by hand: role field, display name, then who else holds it. */
export const contractRoles: Record<string, [string, string, ...string[]][]> = {
  organization: [
    ['admin_role', 'Admin', 'system_administrator'],
    ['execute_role', 'Execute', 'admin_role'],
    ['project_admin_role', 'Project Admin', 'admin_role'],
    ['inventory_admin_role', 'Inventory Admin', 'admin_role'],
    ['credential_admin_role', 'Credential Admin', 'admin_role'],
    ['workflow_admin_role', 'Workflow Admin', 'admin_role'],
    ['notification_admin_role', 'Notification Admin', 'admin_role'],
    ['job_template_admin_role', 'Job Template Admin', 'admin_role'],
    ['execution_environment_admin_role', 'Execution Environment Admin', 'admin_role'],
    ['approval_role', 'Approve', 'admin_role'],
    ['auditor_role', 'Auditor', 'system_auditor'],
    ['member_role', 'Member', 'admin_role'],
    [
      'read_role', 'Read',
      'member_role', 'auditor_role', 'execute_role', 'project_admin_role', 'inventory_admin_role', 'workflow_admin_role', 'notification_admin_role',
      'credential_admin_role', 'job_template_admin_role', 'approval_role', 'execution_environment_admin_role',
    ],
  ],
  team: [
    ['admin_role', 'Admin', 'organization.admin_role'],
    ['member_role', 'Member', 'admin_role'],
    ['read_role', 'Read', 'organization.auditor_role', 'member_role'],
  ],
  inventory: [
    ['admin_role', 'Admin', 'organization.inventory_admin_role'],
    ['update_role', 'Update', 'admin_role'],
    ['adhoc_role', 'Ad Hoc', 'admin_role'],
    ['use_role', 'Use', 'adhoc_role'],
    ['read_role', 'Read', 'organization.auditor_role', 'update_role', 'use_role', 'admin_role'],
  ],
  project: [
    ['admin_role', 'Admin', 'organization.project_admin_role', 'system_administrator'],
    ['use_role', 'Use', 'admin_role'],
    ['update_role', 'Update', 'admin_role'],
    ['read_role', 'Read', 'organization.auditor_role', 'system_auditor', 'use_role', 'update_role'],
  ],
  credential: [
    ['admin_role', 'Admin', 'system_administrator', 'organization.credential_admin_role'],
    ['use_role', 'Use', 'admin_role'],
    ['read_role', 'Read', 'system_auditor', 'organization.auditor_role', 'use_role', 'admin_role'],
  ],
  job_template: [
    ['admin_role', 'Admin', 'organization.job_template_admin_role'],
    ['execute_role', 'Execute', 'admin_role', 'organization.execute_role'],
    ['read_role', 'Read', 'organization.auditor_role', 'inventory.organization.auditor_role', 'execute_role', 'admin_role'],
  ],
  workflow_job_template: [
    ['admin_role', 'Admin', 'system_administrator', 'organization.workflow_admin_role'],
    ['execute_role', 'Execute', 'admin_role', 'organization.execute_role'],
    ['approval_role', 'Approve', 'organization.approval_role', 'admin_role'],
    ['read_role', 'Read', 'system_auditor', 'organization.auditor_role', 'execute_role', 'admin_role', 'approval_role'],
  ],
  instance_group: [
    ['admin_role', 'Admin', 'system_administrator'],
    ['use_role', 'Use', 'admin_role'],
    ['read_role', 'Read', 'system_auditor', 'use_role', 'admin_role'],
  ],
};
