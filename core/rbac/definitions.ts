import type { objectRoles } from '@tapline/plugin-sdk/checks';

/** Kinds of records that own roles; the singular type names of their resources. */
export type RoleType = keyof typeof objectRoles;

export interface RoleDefinition {
  name: string;
  description: string;
  /**
   * Whose holders hold this role too: a field of the same record, `organization.<field>` of its organization,
   * `inventory.organization.<field>` of its inventory's organization, or one of the two system-wide roles.
   */
  heldBy: readonly string[];
  /** Given to persons, never to teams. */
  userOnly?: true;
}

export const systemRoles = {
  system_administrator: { name: 'System Administrator', description: 'Can manage all aspects of the system' },
  system_auditor: { name: 'System Auditor', description: 'Can view all aspects of the system' },
} as const;
export type SystemRole = keyof typeof systemRoles;

const role = (name: string, description: string, ...heldBy: string[]): RoleDefinition => ({
  name,
  description,
  heldBy,
});
const manages = (name: string, what: string) => role(name, `Can manage all ${what} of the organization`, 'admin_role');

type Roles<T extends RoleType> = Record<(typeof objectRoles)[T][number], RoleDefinition>;

const organization: Roles<'organization'> = {
  admin_role: {
    ...role('Admin', 'Can manage all aspects of the organization', 'system_administrator'),
    userOnly: true,
  },
  execute_role: role('Execute', 'May run any executable resources in the organization', 'admin_role'),
  project_admin_role: manages('Project Admin', 'projects'),
  inventory_admin_role: manages('Inventory Admin', 'inventories'),
  credential_admin_role: manages('Credential Admin', 'credentials'),
  workflow_admin_role: manages('Workflow Admin', 'workflows'),
  notification_admin_role: manages('Notification Admin', 'notifications'),
  job_template_admin_role: manages('Job Template Admin', 'job templates'),
  execution_environment_admin_role: manages('Execution Environment Admin', 'execution environments'),
  approval_role: role('Approve', 'Can approve or deny a workflow approval node', 'admin_role'),
  auditor_role: role('Auditor', 'Can view all aspects of the organization', 'system_auditor'),
  member_role: { ...role('Member', 'User is a member of the organization', 'admin_role'), userOnly: true },
  read_role: role(
    'Read',
    'May view settings for the organization',
    'member_role',
    'auditor_role',
    'execute_role',
    'project_admin_role',
    'inventory_admin_role',
    'workflow_admin_role',
    'notification_admin_role',
    'credential_admin_role',
    'job_template_admin_role',
    'approval_role',
    'execution_environment_admin_role',
  ),
};

/** Object roles of every kind, in the order in which they are shown; the SDK tells plugins their names. */
export const roleDefinitions: Record<RoleType, Record<string, RoleDefinition>> = {
  organization,
  team: {
    admin_role: role('Admin', 'Can manage all aspects of the team', 'organization.admin_role'),
    member_role: role('Member', 'User is a member of the team', 'admin_role'),
    read_role: role('Read', 'May view settings for the team', 'organization.auditor_role', 'member_role'),
  },
  inventory: {
    admin_role: role('Admin', 'Can manage all aspects of the inventory', 'organization.inventory_admin_role'),
    update_role: role('Update', 'May update the inventory', 'admin_role'),
    adhoc_role: role('Ad Hoc', 'May run ad hoc commands on the inventory', 'admin_role'),
    use_role: role('Use', 'Can use the inventory in a job template', 'adhoc_role'),
    read_role: role(
      'Read',
      'May view settings for the inventory',
      'organization.auditor_role',
      'update_role',
      'use_role',
      'admin_role',
    ),
  },
  project: {
    admin_role: role(
      'Admin',
      'Can manage all aspects of the project',
      'organization.project_admin_role',
      'system_administrator',
    ),
    use_role: role('Use', 'Can use the project in a job template', 'admin_role'),
    update_role: role('Update', 'May update the project', 'admin_role'),
    read_role: role(
      'Read',
      'May view settings for the project',
      'organization.auditor_role',
      'system_auditor',
      'use_role',
      'update_role',
    ),
  },
  credential: {
    admin_role: role(
      'Admin',
      'Can manage all aspects of the credential',
      'system_administrator',
      'organization.credential_admin_role',
    ),
    use_role: role('Use', 'Can use the credential in a job template', 'admin_role'),
    read_role: role(
      'Read',
      'May view settings for the credential',
      'system_auditor',
      'organization.auditor_role',
      'use_role',
      'admin_role',
    ),
  },
  job_template: {
    admin_role: role('Admin', 'Can manage all aspects of the job template', 'organization.job_template_admin_role'),
    execute_role: role('Execute', 'May run the job template', 'admin_role', 'organization.execute_role'),
    read_role: role(
      'Read',
      'May view settings for the job template',
      'organization.auditor_role',
      'inventory.organization.auditor_role',
      'execute_role',
      'admin_role',
    ),
  },
  workflow_job_template: {
    admin_role: role(
      'Admin',
      'Can manage all aspects of the workflow job template',
      'system_administrator',
      'organization.workflow_admin_role',
    ),
    execute_role: role('Execute', 'May run the workflow job template', 'admin_role', 'organization.execute_role'),
    approval_role: role(
      'Approve',
      'Can approve or deny a workflow approval node',
      'organization.approval_role',
      'admin_role',
    ),
    read_role: role(
      'Read',
      'May view settings for the workflow job template',
      'system_auditor',
      'organization.auditor_role',
      'execute_role',
      'admin_role',
      'approval_role',
    ),
  },
  instance_group: {
    admin_role: role('Admin', 'Can manage all aspects of the instance group', 'system_administrator'),
    use_role: role('Use', 'Can use the instance group in a job template', 'admin_role'),
    read_role: role('Read', 'May view settings for the instance group', 'system_auditor', 'use_role', 'admin_role'),
  },
} satisfies { [T in RoleType]: Roles<T> };

export interface RoleTable {
  table: string;
  /** templates of every kind share a table */
  kind?: string;
  label: string;
  /** path segment under /api/v2/ */
  path: string;
}

export const roleTables: Record<RoleType, RoleTable> = {
  organization: { table: 'organizations', label: 'Organization', path: 'organizations' },
  team: { table: 'teams', label: 'Team', path: 'teams' },
  inventory: { table: 'inventories', label: 'Inventory', path: 'inventories' },
  project: { table: 'templates', kind: 'project', label: 'Project', path: 'projects' },
  credential: { table: 'credentials', label: 'Credential', path: 'credentials' },
  job_template: { table: 'templates', kind: 'job_template', label: 'Job Template', path: 'job_templates' },
  workflow_job_template: {
    table: 'templates',
    kind: 'workflow_job_template',
    label: 'Workflow Job Template',
    path: 'workflow_job_templates',
  },
  instance_group: { table: 'instance_groups', label: 'Instance Group', path: 'instance_groups' },
};

export const isRoleType = (type: string): type is RoleType => Object.hasOwn(roleDefinitions, type);

/** Role field names of a kind, as OPTIONS lists them; undefined for kinds without roles. */
export const roleFieldsOf = (type: string): string[] | undefined =>
  isRoleType(type) ? Object.keys(roleDefinitions[type]) : undefined;
