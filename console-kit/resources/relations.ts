/** Fields that hold the id of another record: the list that it comes from. */
const lists: Record<string, string> = {
  organization: 'organizations/',
  inventory: 'inventories/',
  project: 'projects/',
  source_project: 'projects/',
  credential: 'credentials/',
  webhook_credential: 'credentials/?credential_type__kind=token',
  signature_validation_credential: 'credentials/?credential_type__kind=cryptography',
  credential_type: 'credential_types/',
  instance_group: 'instance_groups/',
  execution_environment: 'execution_environments/',
  default_environment: 'execution_environments/',
  user: 'users/',
  team: 'teams/',
  actor: 'users/',
  unified_job_template: 'unified_job_templates/',
  workflow_job_template: 'workflow_job_templates/',
  notification_template: 'notification_templates/',
  created_by: 'users/',
  modified_by: 'users/',
};

export const relationOf = (field: string, own: Readonly<Record<string, string>> = {}): string | undefined =>
  own[field] ?? lists[field];

/** `credentials/?kind=scm` and a search → the list to ask for */
export function searched(list: string, parameters: Record<string, string>): string {
  const [path = '', query = ''] = list.split('?');
  const all = new URLSearchParams(query);
  for (const [name, value] of Object.entries(parameters)) all.set(name, value);
  return `${path}?${all}`;
}

/** People and nodes are not called by `name`. */
const nameFields: Record<string, string> = { users: 'username', instances: 'hostname' };

export const nameFieldOf = (list: string): string => nameFields[list.split('/').at(-2) ?? ''] ?? 'name';

export const labelOfRow = (row: Record<string, any>): string =>
  String(row['name'] ?? row['username'] ?? row['hostname'] ?? row['id']);
