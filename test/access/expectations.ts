import { may, see } from './who.ts';

/** What is expected at one path. Whoever is named by nothing is refused: 404 without a look at the row, else 403. */
export interface Line {
  /** a path below a row: only those who see the row of this type get past 404, and all of them may GET */
  at?: string;
  /** a list: the row of this type is in it for exactly those who see it */
  shows?: string;
  /** who may GET where it is not everybody (or all who see the row); null where there is nothing to GET */
  GET?: readonly string[] | null;
  POST?: readonly string[];
  PUT?: readonly string[];
  PATCH?: readonly string[];
  DELETE?: readonly string[];
  /** who may write here, but does not see what the body names: 400 */
  unseen?: readonly string[];
  /** who is offered the form of a POST, where it is not those who may send the body of the matrix: another one would do */
  form?: readonly string[];
  /** the type of the row that the body names, where seeing it is asked before everything else: 400 for who does not */
  names?: string;
  /** also without credentials */
  open?: true;
  /** what those get who may, where it is not a success */
  answers?: '409';
  /** what a browser that has not logged in gets, where it is not 401 */
  stranger?: '302';
}

const superuser = ['superuser'];
const admin = may.organization;
/** PUT, PATCH and DELETE for the same callers. */
const writes = (who: readonly string[]) => ({ PUT: who, PATCH: who, DELETE: who });
const changes = (who: readonly string[]) => ({ PUT: who, PATCH: who });
/** Who administers anything, and so has roles to give. */
const administrators = [
  ...admin,
  'otherAdmin',
  ...['project', 'inventory', 'credential', 'job_template', 'workflow'].map((part) => `organization.${part}_admin`),
  ...['team', 'inventory', 'project', 'credential', 'job_template', 'instance_group'].map((type) => `${type}.admin`),
];
/** Everybody who has logged in and may write at all. */
export const anyone = ['*'];

/**
 * Who may do what, one line for each path (below /api/v2/ unless it begins with a slash), by hand from contract/rbac.md §4 to §7. A
 * route without a line fails the matrix, and so does a line without a route.
 */
export const expectations: Record<string, Line> = {
  '/api/': { open: true },
  '/api/docs/': { stranger: '302' },
  '/api/docs/:file/': { open: true },
  'ping/': { open: true },
  'config/': {},
  'navigation/': {},
  'plugins/': { GET: see.settings! },
  'plugins/:plugin/': { GET: see.settings! },
  'recommendations/': {},
  'me/': {},
  'hooks/': { GET: see.hook_trace! },
  'hooks/traces/': { shows: 'hook_trace' },
  'hooks/traces/:id/': { at: 'hook_trace' },
  'hooks/traces/:id/explain-access/': { at: 'hook_trace' },
  'dashboard/': {},
  'dashboard/graphs/jobs/': {},
  'mesh_visualizer/': { GET: see.settings! },
  'metrics/': { GET: see.settings! },
  'settings/': {},
  // the log goes to standard output, and nowhere else
  'settings/logging/test/': { GET: null, POST: superuser, answers: '409' },
  'settings/:slug/': { GET: see.settings!, ...writes(superuser) },
  '': { open: true },
  'openapi.json': {},
  'workflow_job_templates/': {},
  'notification_templates/': {},
  'inventory_sources/': {},
  'execution_environments/': {},
  'schedules/': {},
  'system_job_templates/': {},

  'organizations/': { shows: 'organization', POST: superuser },
  'organizations/:id/': { at: 'organization', ...writes(admin) },
  'organizations/:id/users/': { at: 'organization', shows: 'user', POST: admin },
  'organizations/:id/admins/': { at: 'organization', POST: admin },
  'organizations/:id/teams/': { at: 'organization', shows: 'team', POST: admin },
  'organizations/:id/inventories/': { at: 'organization', shows: 'inventory' },
  'organizations/:id/projects/': {
    at: 'organization',
    shows: 'project',
    POST: [...admin, 'organization.project_admin'],
  },
  'organizations/:id/job_templates/': {
    at: 'organization',
    shows: 'job_template',
    POST: admin,
    form: [...admin, 'organization.project_admin'],
  },
  'organizations/:id/applications/': { at: 'organization', shows: 'o_auth2_application', POST: admin },
  'organizations/:id/credentials/': {
    at: 'organization',
    shows: 'credential',
    POST: [...admin, 'organization.credential_admin'],
  },
  // the administrator of the organization does not see the group
  'organizations/:id/instance_groups/': { at: 'organization', POST: superuser, unseen: ['organization.admin'] },
  'organizations/:id/galaxy_credentials/': { at: 'organization', POST: admin },
  'organizations/:id/activity_stream/': { at: 'organization' },
  'organizations/:id/object_roles/': { at: 'organization' },
  'organizations/:id/access_list/': { at: 'organization', shows: 'user' },
  'organizations/:id/explain-access/': { at: 'organization' },

  'users/': { shows: 'user', POST: superuser },
  // the user is a member of the organization and of no other; nobody deletes himself
  'users/:id/': { at: 'user', ...changes([...admin, 'self']), DELETE: admin },
  'users/:id/roles/': {
    at: 'user',
    names: 'role',
    POST: [...admin, 'organization.job_template_admin'],
    form: administrators,
  },
  'users/:id/organizations/': { at: 'user', shows: 'organization' },
  'users/:id/admin_of_organizations/': { at: 'user' },
  'users/:id/teams/': { at: 'user' },
  'users/:id/projects/': { at: 'user' },
  'users/:id/tokens/': { at: 'user', shows: 'o_auth2_access_token', POST: [...superuser, 'self'] },
  // the new token is the caller's own whoever is named
  'users/:id/personal_tokens/': { at: 'user', shows: 'o_auth2_access_token', POST: anyone },
  'users/:id/authorized_tokens/': { at: 'user', names: 'o_auth2_application', POST: see.o_auth2_application! },
  'users/:id/applications/': { at: 'user', shows: 'o_auth2_application' },
  'users/:id/credentials/': { at: 'user', POST: [...admin, 'self'] },
  'users/:id/activity_stream/': { at: 'user' },
  'users/:id/access_list/': { at: 'user' },
  'users/:id/explain-access/': { at: 'user' },

  'applications/': { shows: 'o_auth2_application', POST: admin, form: [...admin, 'otherAdmin'] },
  'applications/:id/': { at: 'o_auth2_application', ...writes(admin) },
  'applications/:id/tokens/': { at: 'o_auth2_application', POST: anyone },
  'applications/:id/activity_stream/': { at: 'o_auth2_application' },
  'applications/:id/explain-access/': { at: 'o_auth2_application' },

  'tokens/': { shows: 'o_auth2_access_token', POST: anyone },
  'tokens/:id/': { at: 'o_auth2_access_token', ...writes([...superuser, 'self']) },
  'tokens/:id/explain-access/': { at: 'o_auth2_access_token' },
  'tokens/:id/activity_stream/': { at: 'o_auth2_access_token' },

  'teams/': { shows: 'team', POST: admin, form: [...admin, 'otherAdmin'] },
  'teams/:id/': { at: 'team', ...writes(may.team) },
  // a team's administrator does not see people of the organization, who is none of it
  'teams/:id/users/': { at: 'team', POST: admin, unseen: ['team.admin'] },
  'teams/:id/roles/': { at: 'team', names: 'role', POST: admin, form: administrators },
  'teams/:id/projects/': { at: 'team' },
  'teams/:id/credentials/': { at: 'team', POST: may.team },
  'teams/:id/activity_stream/': { at: 'team' },
  'teams/:id/object_roles/': { at: 'team' },
  'teams/:id/access_list/': { at: 'team' },
  'teams/:id/explain-access/': { at: 'team' },

  'roles/': { shows: 'role' },
  'roles/:id/': { at: 'role' },
  // the administrator of the template alone does not see the user, nor the team
  'roles/:id/users/': {
    at: 'role',
    POST: [...admin, 'organization.job_template_admin'],
    unseen: ['job_template.admin'],
  },
  'roles/:id/teams/': { at: 'role', POST: admin, unseen: ['organization.job_template_admin', 'job_template.admin'] },
  'roles/:id/parents/': { at: 'role' },
  'roles/:id/children/': { at: 'role' },
  'roles/:id/explain-access/': { at: 'role' },

  // member(organization); changed by its administrators, and never deleted: a label ends with its last use
  'labels/': {
    shows: 'label',
    POST: [...admin, 'organization.member', 'self'],
    form: [...admin, 'organization.member', 'self', 'otherAdmin'],
  },
  'labels/:id/': { at: 'label', ...changes(admin) },
  'labels/:id/activity_stream/': { at: 'label' },
  'labels/:id/explain-access/': { at: 'label' },

  'instance_groups/': { shows: 'instance_group', POST: superuser },
  'instance_groups/:id/': { at: 'instance_group', ...changes(may.instanceGroup), DELETE: superuser },
  'instance_groups/:id/instances/': { at: 'instance_group', shows: 'instance', POST: superuser },
  'instance_groups/:id/jobs/': { at: 'instance_group', shows: 'job' },
  'instance_groups/:id/activity_stream/': { at: 'instance_group' },
  'instance_groups/:id/object_roles/': { at: 'instance_group' },
  'instance_groups/:id/access_list/': { at: 'instance_group' },
  'instance_groups/:id/explain-access/': { at: 'instance_group' },

  'instances/': { shows: 'instance' },
  'instances/:id/': { at: 'instance', ...changes(superuser) },
  'instances/:id/jobs/': { at: 'instance', shows: 'job' },
  'instances/:id/instance_groups/': { at: 'instance', shows: 'instance_group', POST: superuser },
  'instances/:id/explain-access/': { at: 'instance' },

  'inventories/': {
    shows: 'inventory',
    POST: [...admin, 'organization.inventory_admin'],
    form: [...admin, 'organization.inventory_admin', 'otherAdmin'],
  },
  'inventories/:id/': { at: 'inventory', ...writes(may.inventory) },
  'inventories/:id/job_templates/': { at: 'inventory', shows: 'job_template' },
  'inventories/:id/hosts/': { at: 'inventory', shows: 'host', POST: may.inventory },
  'inventories/:id/groups/': { at: 'inventory', shows: 'group', POST: may.inventory },
  'inventories/:id/root_groups/': { at: 'inventory', shows: 'group', POST: may.inventory },
  // who administers the inventory alone does not see the label
  'inventories/:id/labels/': {
    at: 'inventory',
    POST: ['superuser', 'organization.admin', 'organization.inventory_admin'],
    unseen: ['inventory.admin'],
  },
  'inventories/:id/instance_groups/': { at: 'inventory', POST: superuser, unseen: may.inventory.slice(1) },
  'inventories/:id/activity_stream/': { at: 'inventory' },
  'inventories/:id/object_roles/': { at: 'inventory' },
  'inventories/:id/copy/': { at: 'inventory', POST: [...admin, 'organization.inventory_admin'] },
  'inventories/:id/variable_data/': { at: 'inventory', ...changes(may.inventory) },
  'inventories/:id/script/': { at: 'inventory' },
  'inventories/:id/tree/': { at: 'inventory' },
  'inventories/:id/access_list/': { at: 'inventory' },
  'inventories/:id/explain-access/': { at: 'inventory' },

  'hosts/': { shows: 'host', POST: may.inventory },
  'hosts/:id/': { at: 'host', ...writes(may.inventory) },
  'hosts/:id/job_events/': { at: 'host' },
  'hosts/:id/job_host_summaries/': { at: 'host', shows: 'job_host_summary' },
  'hosts/:id/groups/': { at: 'host', shows: 'group', POST: may.inventory },
  'hosts/:id/all_groups/': { at: 'host', shows: 'group' },
  'hosts/:id/activity_stream/': { at: 'host', shows: 'activity_stream' },
  'hosts/:id/variable_data/': { at: 'host', ...changes(may.inventory) },
  'hosts/:id/engine_facts/': { at: 'host' },
  'hosts/:id/ansible_facts/': { at: 'host' },
  'hosts/:id/explain-access/': { at: 'host' },

  'groups/': { shows: 'group', POST: may.inventory },
  'groups/:id/': { at: 'group', ...writes(may.inventory) },
  'groups/:id/job_events/': { at: 'group' },
  'groups/:id/job_host_summaries/': { at: 'group', shows: 'job_host_summary' },
  'groups/:id/hosts/': { at: 'group', shows: 'host', POST: may.inventory },
  'groups/:id/children/': { at: 'group', POST: may.inventory },
  'groups/:id/all_hosts/': { at: 'group', shows: 'host' },
  'groups/:id/potential_children/': { at: 'group' },
  'groups/:id/activity_stream/': { at: 'group' },
  'groups/:id/variable_data/': { at: 'group', ...changes(may.inventory) },
  'groups/:id/explain-access/': { at: 'group' },

  'credential_types/': { POST: superuser },
  'credential_types/:id/': { ...writes(superuser) },
  'credential_types/:id/credentials/': { POST: [...admin, 'organization.credential_admin'], form: anyone },
  'credential_types/:id/activity_stream/': {},
  'credential_types/:id/explain-access/': {},

  // everybody may have some of his own
  'credentials/': { shows: 'credential', POST: [...admin, 'organization.credential_admin'], form: anyone },
  'credentials/:id/': { at: 'credential', ...writes(may.credential) },
  'credentials/:id/owner_teams/': { at: 'credential' },
  'credentials/:id/owner_users/': { at: 'credential' },
  'credentials/:id/activity_stream/': { at: 'credential' },
  'credentials/:id/object_roles/': { at: 'credential' },
  'credentials/:id/copy/': { at: 'credential', POST: [...admin, 'organization.credential_admin'] },
  'credentials/:id/access_list/': { at: 'credential' },
  'credentials/:id/explain-access/': { at: 'credential' },

  'projects/': {
    shows: 'project',
    POST: [...admin, 'organization.project_admin'],
    form: [...admin, 'organization.project_admin', 'otherAdmin'],
  },
  'projects/:id/': { at: 'project', ...writes(may.project) },
  'projects/:id/teams/': { at: 'project' },
  'projects/:id/project_updates/': { at: 'project', shows: 'project_update' },
  'projects/:id/activity_stream/': { at: 'project' },
  'projects/:id/object_roles/': { at: 'project' },
  'projects/:id/update/': { at: 'project', POST: may.updateProject },
  'projects/:id/playbooks/': { at: 'project' },
  'projects/:id/inventories/': { at: 'project' },
  'projects/:id/copy/': { at: 'project', POST: [...admin, 'organization.project_admin'] },
  'projects/:id/access_list/': { at: 'project' },
  'projects/:id/explain-access/': { at: 'project' },

  'project_updates/': { shows: 'project_update' },
  'project_updates/:id/': { at: 'project_update', DELETE: may.project },
  'project_updates/:id/events/': { at: 'project_update', shows: 'project_update_event' },
  'project_updates/:id/cancel/': { at: 'project_update', POST: [...may.project, 'creator'] },
  'project_updates/:id/stdout/': { at: 'project_update' },
  'project_updates/:id/explain-access/': { at: 'project_update' },

  // of the callers here only the organization's administrator may use both its project and its inventory
  'job_templates/': {
    shows: 'job_template',
    POST: admin,
    // without an inventory it takes the right to use the project
    form: [...admin, 'organization.project_admin', 'project.admin', 'project.use'],
  },
  'job_templates/:id/': { at: 'job_template', ...writes(may.template) },
  'job_templates/:id/jobs/': { at: 'job_template', shows: 'job' },
  'job_templates/:id/credentials/': {
    at: 'job_template',
    POST: admin,
    unseen: ['organization.job_template_admin', 'job_template.admin'],
  },
  'job_templates/:id/instance_groups/': { at: 'job_template', POST: superuser, unseen: may.template.slice(1) },
  // who administers the template alone does not see the label
  'job_templates/:id/labels/': {
    at: 'job_template',
    POST: ['superuser', 'organization.admin', 'organization.job_template_admin'],
    unseen: ['job_template.admin'],
  },
  'job_templates/:id/activity_stream/': { at: 'job_template' },
  'job_templates/:id/object_roles/': { at: 'job_template' },
  'job_templates/:id/launch/': { at: 'job_template', POST: may.execute },
  'job_templates/:id/copy/': { at: 'job_template', POST: admin },
  'job_templates/:id/access_list/': { at: 'job_template' },
  'job_templates/:id/explain-access/': { at: 'job_template' },

  'jobs/': { shows: 'job' },
  'jobs/:id/': { at: 'job', DELETE: admin },
  'jobs/:id/job_events/': { at: 'job', shows: 'job_event' },
  'jobs/:id/job_host_summaries/': { at: 'job', shows: 'job_host_summary' },
  'jobs/:id/credentials/': { at: 'job' },
  'jobs/:id/labels/': { at: 'job' },
  'jobs/:id/activity_stream/': { at: 'job' },
  'jobs/:id/cancel/': { at: 'job', POST: [...may.template, 'creator'] },
  'jobs/:id/relaunch/': { at: 'job', POST: may.execute },
  'jobs/:id/stdout/': { at: 'job' },
  'jobs/:id/job_events/children_summary/': { at: 'job' },
  'jobs/:id/explain-access/': { at: 'job' },

  'job_events/:id/': { at: 'job_event' },
  'job_events/:id/children/': { at: 'job_event' },
  'job_events/:id/explain-access/': { at: 'job_event' },
  'job_host_summaries/:id/': { at: 'job_host_summary' },
  'job_host_summaries/:id/explain-access/': { at: 'job_host_summary' },

  'unified_jobs/': { shows: 'job' },
  'unified_job_templates/': { shows: 'job_template' },
  'activity_stream/': { shows: 'activity_stream' },
  'activity_stream/:id/': { at: 'activity_stream' },
  'activity_stream/:id/explain-access/': { at: 'activity_stream' },
};

/** The status that the table states; 2xx stands for a success of any kind. */
export function expected(line: Line, method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', name: string): string {
  if (line.open) return '2xx';
  if (name === 'anonymous' || name === 'disabled') return line.stranger ?? '401';
  if (method !== 'GET' && name === 'readToken') return '403';
  if (line.at !== undefined && !see[line.at]!.includes(name)) return '404';
  const allowed = line[method] ?? (method === 'GET' ? anyone : []);
  if (allowed === anyone || allowed.includes(name)) return line.answers ?? '2xx';
  return line.unseen?.includes(name) || (line.names && !see[line.names]!.includes(name)) ? '400' : '403';
}

const login = { username: 'admin', password: 'test-admin-password' };

/** Outside of the route table: where a caller becomes somebody, and what watches the service asks. The same for everybody. */
export const publicRequests: [method: string, path: string, status: number, body?: Record<string, string>][] = [
  ['GET', '/api/login/', 200],
  ['POST', '/api/login/', 302, login],
  ['POST', '/api/logout/', 302],
  ['GET', '/api/o/', 200],
  // no session: to the login page first
  ['GET', '/api/o/authorize/', 302],
  ['POST', '/api/o/authorize/', 302],
  ['POST', '/api/o/token/', 200, { grant_type: 'password', client_id: 'matrix', scope: 'read', ...login }],
  ['POST', '/api/o/revoke_token/', 200, { client_id: 'matrix', token: 'nothing' }],
  ['GET', '/healthz', 200],
  ['GET', '/readyz', 200],
  ['GET', '/metrics', 200],
];
