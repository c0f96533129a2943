import { type RoleType, roleDefinitions } from '../definitions.ts';
import { givenBy } from '../implications.ts';

/** How clients of role definitions call the kinds of records: `awx.jobtemplate`, `shared.organization`. */
const models: Record<RoleType, string> = {
  organization: 'shared.organization',
  team: 'shared.team',
  inventory: 'awx.inventory',
  project: 'awx.project',
  credential: 'awx.credential',
  job_template: 'awx.jobtemplate',
  workflow_job_template: 'awx.workflowjobtemplate',
  instance_group: 'awx.instancegroup',
};

export const contentTypeOf = (type: RoleType): string => models[type];

/** Only what follows the last dot counts. */
export const bare = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

const typeOfModel = new Map(Object.entries(models).map(([type, model]) => [bare(model), type as RoleType]));

export const typeOfContent = (contentType: string): RoleType | undefined => typeOfModel.get(bare(contentType));

const of = (model: string, ...actions: string[]) => actions.map((action) => `${action}_${model}`);

/** What holders of an organization's role may do to its records, beyond the organization. */
const kept: Record<string, [model: string, ...actions: string[]]> = {
  project_admin_role: ['project', 'add', 'change', 'delete', 'update', 'use', 'view'],
  inventory_admin_role: ['inventory', 'add', 'change', 'delete', 'adhoc', 'update', 'use', 'view'],
  credential_admin_role: ['credential', 'add', 'change', 'delete', 'use', 'view'],
  workflow_admin_role: ['workflowjobtemplate', 'add', 'change', 'delete', 'approve', 'execute', 'view'],
  notification_admin_role: ['notificationtemplate', 'add', 'change', 'delete', 'view'],
  job_template_admin_role: ['jobtemplate', 'add', 'change', 'delete', 'execute', 'view'],
  execution_environment_admin_role: ['executionenvironment', 'add', 'change', 'delete'],
};
const read = [
  'project',
  'inventory',
  'credential',
  'workflowjobtemplate',
  'notificationtemplate',
  'jobtemplate',
  'team',
];

const ofOrganization: Record<string, string[]> = {
  ...Object.fromEntries(Object.entries(kept).map(([field, [model, ...actions]]) => [field, of(model, ...actions)])),
  admin_role: [...of('organization', 'change', 'delete'), ...of('team', 'add', 'change', 'delete', 'member', 'view')],
  execute_role: [...of('jobtemplate', 'execute', 'view'), ...of('workflowjobtemplate', 'execute', 'view')],
  approval_role: of('workflowjobtemplate', 'approve', 'view'),
  auditor_role: [...of('organization', 'audit'), ...read.map((model) => `view_${model}`)],
  member_role: of('organization', 'member'),
  read_role: of('organization', 'view'),
};

const actions: Record<string, string[]> = {
  admin_role: ['change', 'delete'],
  read_role: ['view'],
  approval_role: ['approve'],
};

/** What a role itself adds to those that it implies. */
function ownPermissions(type: RoleType, field: string): string[] {
  if (type === 'organization') return ofOrganization[field]!;
  return of(bare(models[type]), ...(actions[field] ?? [field.replace(/_role$/, '')]));
}

const known = new Map<string, ReadonlySet<string>>();

/** All that holding a role of a record allows, without prefixes. */
export function permissionsOf(type: RoleType, field: string): ReadonlySet<string> {
  const key = `${type}.${field}`;
  let names = known.get(key);
  if (!names)
    known.set(key, (names = new Set(givenBy(type, 'self', field).flatMap((one) => ownPermissions(type, one)))));
  return names;
}

export const fieldsOfType = (type: RoleType): string[] => Object.keys(roleDefinitions[type]);

/** `awx.view_jobtemplate`, `shared.view_organization` */
export const fullName = (permission: string): string => {
  const model = permission.slice(permission.indexOf('_') + 1);
  return `${typeOfModel.has(model) ? models[typeOfModel.get(model)!].split('.')[0] : 'awx'}.${permission}`;
};

/** Every permission there is on a kind of record, by the names of clients. */
export const allowedPermissions = (type: RoleType): string[] =>
  [...new Set(fieldsOfType(type).flatMap((field) => [...permissionsOf(type, field)]))].map(fullName).toSorted();

/** Why no roles give just these permissions. */
export class PermissionProblem extends Error {
  override name = 'PermissionProblem';
}

/**
 * The fewest roles of a record that together give these permissions and no others.
 * @throws PermissionProblem naming what does not exist there, or comes together with something else only
 */
export function rolesGiving(type: RoleType, names: readonly string[]): string[] {
  const wanted = new Set(names.map(bare));
  const fields = fieldsOfType(type);
  const unknown = names.find((name) => !fields.some((field) => permissionsOf(type, field).has(bare(name))));
  if (unknown !== undefined)
    throw new PermissionProblem(`${JSON.stringify(unknown.slice(0, 100))} is no permission on ${models[type]}.`);
  const within = fields.filter((field) => [...permissionsOf(type, field)].every((name) => wanted.has(name)));
  const covered = new Set(within.flatMap((field) => [...permissionsOf(type, field)]));
  const missing = [...wanted].find((name) => !covered.has(name));
  if (missing !== undefined) throw new PermissionProblem(comesWith(type, missing, wanted));
  return within.filter(
    (field) => !within.some((other) => other !== field && givenBy(type, 'self', other).includes(field)),
  );
}

/** The role that lacks least tells what would have to be named as well. */
function comesWith(type: RoleType, permission: string, wanted: ReadonlySet<string>): string {
  const lacking = fieldsOfType(type)
    .map((field) => permissionsOf(type, field))
    .filter((names) => names.has(permission))
    .map((names) => [...names].filter((name) => !wanted.has(name)))
    .toSorted((a, b) => a.length - b.length)[0]!;
  return `${fullName(permission)} is given together with ${lacking.map(fullName).join(', ')} only: name these as well, or leave it out.`;
}
