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
const groupReaders = [...readers, ...of('instance_group', 'admin', 'use', 'read')];
const organizationMembers = [...readers, ...of('organization', 'admin', 'member'), 'self'];

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
  o_auth2_application: organizationMembers,
  o_auth2_access_token: [...readers, 'self'],
  instance_group: groupReaders,
  instance: groupReaders,
  inventory: inventoryReaders,
  host: inventoryReaders,
  group: inventoryReaders,
  credential: [
    ...readers,
    ...of('organization', 'admin', 'credential_admin', 'auditor'),
    ...of('credential', 'admin', 'use', 'read'),
  ],
  project: projectReaders,
  project_update: projectReaders,
  project_update_event: projectReaders,
  job_template: templateReaders,
  job: templateReaders,
  job_event: templateReaders,
  // through the job, or the host
  job_host_summary: [...new Set([...templateReaders, ...inventoryReaders])],
  // the entry is about the host
  activity_stream: inventoryReaders,
  hook_trace: readers,
  settings: readers,
};

/** Who has the right that the contract writes adm(X), use(X), upd(X), exec(X). */
export const may = {
  organization: ['superuser', 'organization.admin'],
  team: ['superuser', 'organization.admin', 'team.admin'],
  inventory: ['superuser', 'organization.admin', 'organization.inventory_admin', 'inventory.admin'],
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
  instanceGroup: ['superuser', 'instance_group.admin'],
} as const;
