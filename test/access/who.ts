/**
 * Callers by what they hold, written down by hand from contract/rbac.md §3, §5, §6 and §7. Nothing here is computed
 * from the code under test. `inventory.use` is a user whose only role is use_role on the inventory of the matrix.
 */
const of = (type: string, ...fields: string[]) => fields.map((field) => `${type}.${field}`);

/** Read everything; the token with scope `read` belongs to the superuser. */
const readers = ['superuser', 'auditor', 'readToken'];

/** §3: every role of an organization gives read_role on it; `self` is a member. */
const organizationReaders = [
  ...readers,
  ...of('organization', 'admin', 'execute', 'project_admin', 'inventory_admin', 'credential_admin', 'workflow_admin'),
  ...of('organization', 'notification_admin', 'job_template_admin', 'execution_environment_admin', 'approval'),
  ...of('organization', 'auditor', 'member', 'read'),
  'self',
];
const inventoryReaders = [
  ...readers,
  ...of('organization', 'admin', 'inventory_admin', 'auditor'),
  ...of('inventory', 'admin', 'update', 'adhoc', 'use', 'read'),
];
const credentialReaders = [
  ...readers,
  ...of('organization', 'admin', 'credential_admin', 'auditor'),
  ...of('credential', 'admin', 'use', 'read'),
];
const projectReaders = [
  ...readers,
  ...of('organization', 'admin', 'project_admin', 'auditor'),
  ...of('project', 'admin', 'use', 'update', 'read'),
  'creator',
];
const templateReaders = [
  ...readers,
  ...of('organization', 'admin', 'job_template_admin', 'execute', 'auditor'),
  ...of('job_template', 'admin', 'execute', 'read'),
  'throughTeam',
  'creator',
];
const workflowReaders = [
  ...readers,
  ...of('organization', 'admin', 'workflow_admin', 'execute', 'approval', 'auditor'),
  ...of('workflow_job_template', 'admin', 'execute', 'approval', 'read'),
];
const groupReaders = [...readers, ...of('instance_group', 'admin', 'use', 'read')];
const organizationMembers = [...readers, ...of('organization', 'admin', 'member'), 'self'];

const notificationReaders = [...readers, ...of('organization', 'admin', 'notification_admin', 'auditor')];

/** Who sees the row of each type. */
export const see: Record<string, readonly string[]> = {
  organization: organizationReaders,
  // §5: who reads an organization of the user; administrators and auditors of any organization see everybody
  user: [...organizationReaders, 'otherAdmin'],
  // nothing carries it
  label: organizationReaders,
  // §6: read_role on the team, member_role on its organization, administrators and auditors of any organization
  team: [...organizationMembers, 'organization.auditor', ...of('team', 'admin', 'member', 'read'), 'otherAdmin'],
  // §4: whoever holds the role, one above it or one below it; below execute_role there is read_role
  role: templateReaders,
  // that `self` is a member of the organization
  role_user_assignment: organizationReaders,
  // that a team may execute the template: who sees both
  role_team_assignment: [...readers, ...of('organization', 'admin', 'auditor'), 'throughTeam'],
  notification_template: notificationReaders,
  notification: notificationReaders,
  o_auth2_application: organizationMembers,
  o_auth2_access_token: [...readers, 'self'],
  instance_group: groupReaders,
  instance: groupReaders,
  inventory: inventoryReaders,
  constructed_inventory: [...readers, ...of('organization', 'admin', 'inventory_admin', 'auditor')],
  federated_inventory: [...readers, ...of('organization', 'admin', 'inventory_admin', 'auditor')],
  host: inventoryReaders,
  inventory_source: inventoryReaders,
  // who began it sees no more of it than before
  inventory_update: inventoryReaders,
  inventory_update_event: inventoryReaders,
  group: inventoryReaders,
  system_job_template: readers,
  system_job: readers,
  system_job_event: readers,
  execution_environment: organizationReaders,
  ad_hoc_command: inventoryReaders,
  ad_hoc_command_event: inventoryReaders,
  credential: credentialReaders,
  credential_input_source: credentialReaders,
  project: projectReaders,
  project_update: projectReaders,
  project_update_event: projectReaders,
  job_template: templateReaders,
  schedule: templateReaders,
  job: templateReaders,
  job_event: templateReaders,
  workflow_job_template: workflowReaders,
  workflow_job_template_node: workflowReaders,
  workflow_job: workflowReaders,
  workflow_job_node: workflowReaders,
  workflow_approval_template: workflowReaders,
  workflow_approval: workflowReaders,
  workflow_approval_vote: workflowReaders,
  // §10: with its job
  job_host_summary: templateReaders,
  // the entry is about the host
  activity_stream: inventoryReaders,
  hook_trace: readers,
  // contract: superuser, auditor, administrators of the organization
  audit_event: [...readers, 'organization.admin'],
  host_metric: readers,
  ...Object.fromEntries(
    ['event_rule', 'event_log', 'outbound_webhook', 'outbound_webhook_delivery'].map((type) => [
      type,
      [...readers, ...of('organization', 'admin', 'auditor')],
    ]),
  ),
  // judge the organization's launches
  policy: organizationReaders,
  policy_waiver: organizationReaders,
  scanner: organizationReaders,
  accepted_finding: organizationReaders,
  // of a launch of the template
  policy_decision: templateReaders,
  scan_result: templateReaders,
  settings: readers,
};

/** Who has the right that the contract writes adm(X), use(X), upd(X), exec(X). */
export const may = {
  organization: ['superuser', 'organization.admin'],
  team: ['superuser', 'organization.admin', 'team.admin'],
  inventory: ['superuser', 'organization.admin', 'organization.inventory_admin', 'inventory.admin'],
  environment: ['superuser', ...of('organization', 'admin', 'execution_environment_admin')],
  notify: ['superuser', ...of('organization', 'admin', 'notification_admin')],
  adhoc: ['superuser', ...of('organization', 'admin', 'inventory_admin'), ...of('inventory', 'admin', 'adhoc')],
  updateInventory: [
    'superuser',
    ...of('organization', 'admin', 'inventory_admin'),
    ...of('inventory', 'admin', 'update'),
  ],
  project: ['superuser', 'organization.admin', 'organization.project_admin', 'project.admin'],
  updateProject: ['superuser', 'organization.admin', 'organization.project_admin', ...of('project', 'admin', 'update')],
  credential: ['superuser', 'organization.admin', 'organization.credential_admin', 'credential.admin'],
  template: ['superuser', 'organization.admin', 'organization.job_template_admin', 'job_template.admin'],
  execute: [
    'superuser',
    ...of('organization', 'admin', 'job_template_admin', 'execute'),
    ...of('job_template', 'admin', 'execute'),
    'throughTeam',
  ],
  workflow: ['superuser', ...of('organization', 'admin', 'workflow_admin'), 'workflow_job_template.admin'],
  runWorkflow: [
    'superuser',
    ...of('organization', 'admin', 'workflow_admin', 'execute'),
    ...of('workflow_job_template', 'admin', 'execute'),
  ],
  approve: [
    'superuser',
    ...of('organization', 'admin', 'workflow_admin', 'approval'),
    ...of('workflow_job_template', 'admin', 'approval'),
  ],
  instanceGroup: ['superuser', 'instance_group.admin'],
} as const;
