/** Object roles of core by the type that has them: the names that `api.rules` take. */
export const objectRoles = {
  organization: [
    'admin_role',
    'execute_role',
    'project_admin_role',
    'inventory_admin_role',
    'credential_admin_role',
    'workflow_admin_role',
    'notification_admin_role',
    'job_template_admin_role',
    'execution_environment_admin_role',
    'approval_role',
    'auditor_role',
    'member_role',
    'read_role',
  ],
  team: ['admin_role', 'member_role', 'read_role'],
  inventory: ['admin_role', 'update_role', 'adhoc_role', 'use_role', 'read_role'],
  project: ['admin_role', 'use_role', 'update_role', 'read_role'],
  credential: ['admin_role', 'use_role', 'read_role'],
  job_template: ['admin_role', 'execute_role', 'read_role'],
  workflow_job_template: ['admin_role', 'execute_role', 'approval_role', 'read_role'],
  instance_group: ['admin_role', 'use_role', 'read_role'],
} as const;

/** What is wrong with a role that a rule names, and what to do; undefined where nothing is. */
export function roleProblem(type: string, field: string): [problem: string, remedy: string] | undefined {
  if (!Object.hasOwn(objectRoles, type))
    return [`names ${type}, a type without roles`, `take one of ${Object.keys(objectRoles).join(', ')}`];
  const roles: readonly string[] = objectRoles[type as keyof typeof objectRoles];
  return roles.includes(field) ? undefined : [`names ${field}, no role of ${type}`, `take one of ${roles.join(', ')}`];
}
