import { eventExpectations } from './event-expectations.ts';
import { gateExpectations } from './gate-expectations.ts';
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
  open?: true | 'POST';
  /** what those get who may, by method, where it is not a success */
  answers?: Partial<Record<'GET' | 'POST' | 'DELETE', '400' | '403' | '404' | '409' | '503'>>;
  /** what a browser that has not logged in gets, where it is not 401 */
  stranger?: '302';
}

const superuser = ['superuser'];
const admin = may.organization;
/** Of the constructed inventory nobody holds a role of its own. */
const constructedKeepers = [...admin, 'organization.inventory_admin'];
/** Who manages the workflows of the organization. */
const keepers = [...admin, 'organization.workflow_admin'];
/** PUT, PATCH and DELETE for the same callers. */
const writes = (who: readonly string[]) => ({ PUT: who, PATCH: who, DELETE: who });
const changes = (who: readonly string[]) => ({ PUT: who, PATCH: who });
/** Who administers anything, and so has roles to give. */
const administrators = [
  ...admin,
  'otherAdmin',
  ...['project', 'inventory', 'credential', 'job_template', 'workflow'].map((part) => `organization.${part}_admin`),
  ...['team', 'inventory', 'project', 'credential', 'job_template', 'instance_group'].map((type) => `${type}.admin`),
  'workflow_job_template.admin',
];
/** Who may start some kind of template. */
const launchers = [
  ...may.execute,
  ...['project', 'inventory', 'workflow'].map((part) => `organization.${part}_admin`),
  ...['inventory', 'project'].flatMap((type) => [`${type}.admin`, `${type}.update`]),
  'workflow_job_template.admin',
  'workflow_job_template.execute',
];
/** The lists that say where word of runs goes: `write` may, who changes the notification template as well. */
const notifying = (path: string, at: string, write: readonly string[], more: readonly string[] = []) =>
  Object.fromEntries(
    ['started', 'success', 'error', ...more].map((event): [string, Line] => [
      `${path}/:id/notification_templates_${event}/`,
      {
        at,
        POST: write.filter((name) => may.notify.includes(name as 'superuser')),
        unseen: write.filter((name) => !see.notification_template!.includes(name)),
        form: write,
      },
    ]),
  );
/** Everybody who has logged in and may write at all. */
export const anyone = ['*'];
const receiver = { GET: null, POST: [], open: 'POST', form: anyone, answers: { POST: '403' } } as const;

/**
 * Who may do what, one line for each path (below /api/v2/ unless it begins with a slash), by hand from contract/rbac.md §4 to §7. A
 * route without a line fails the matrix, and so does a line without a route.
 */
export const expectations: Record<string, Line> = {
  '/api/': { open: true },
  '/api/docs/': { stranger: '302' },
  '/api/docs/:file/': { open: true },
  'ping/': { open: true },
  'auth/': { open: true },
  'analytics/': { GET: see.settings! },
  'service-index/': {},
  'service-index/metadata/': { GET: see.settings! },
  // there is no licence to hand in, and none to attach
  'config/': { POST: superuser, DELETE: superuser, answers: { POST: '400' } },
  'config/subscriptions/': { GET: null, POST: superuser, answers: { POST: '400' } },
  'config/attach/': { GET: null, POST: superuser, answers: { POST: '400' } },
  'navigation/': {},
  'console_pages/': {},
  'plugins/': { GET: see.settings! },
  'plugins/:plugin/': { GET: see.settings! },
  // the plugins of a test are in its environment
  'plugin_switches/': { GET: see.settings!, POST: superuser },
  'recommendations/': {},
  ...eventExpectations,
  ...gateExpectations,
  'me/': {},
  'hooks/': { GET: see.hook_trace! },
  'hooks/traces/': { shows: 'hook_trace' },
  'hooks/traces/:id/': { at: 'hook_trace' },
  'hooks/traces/:id/explain-access/': { at: 'hook_trace' },
  'host_metrics/': { shows: 'host_metric' },
  'host_metrics/:id/': { at: 'host_metric', DELETE: superuser },
  'host_metrics/:id/explain-access/': { at: 'host_metric' },
  'host_metric_summary_monthly/': {},
  'dashboard/': {},
  'dashboard/graphs/jobs/': {},
  'mesh_visualizer/': { GET: see.settings! },
  'receptor_addresses/': {},
  'system_state/': { GET: see.settings! },
  'metrics/': { GET: see.settings! },
  'settings/': {},
  // the log goes to standard output, and nowhere else
  'settings/logging/test/': { GET: null, POST: superuser, answers: { POST: '409' } },
  'settings/:slug/': { GET: see.settings!, ...writes(superuser) },
  'settings/:slug/:key/': { GET: null, DELETE: superuser },
  '': { open: true },
  'openapi.json': {},
  // whoever may launch some template is offered the form: which one is told by the body
  'schedules/': { shows: 'schedule', POST: may.execute, form: launchers },
  'schedules/preview/': { GET: null, POST: anyone },
  'schedules/zoneinfo/': {},
  'schedules/:id/': { at: 'schedule', ...writes(may.template) },
  'schedules/:id/jobs/': { at: 'schedule' },
  'schedules/:id/credentials/': {
    at: 'schedule',
    POST: admin,
    unseen: ['organization.job_template_admin', 'job_template.admin'],
  },
  'schedules/:id/labels/': {
    at: 'schedule',
    POST: ['superuser', 'organization.admin', 'organization.job_template_admin'],
    unseen: ['job_template.admin'],
  },
  'schedules/:id/instance_groups/': { at: 'schedule', POST: superuser, unseen: may.template.slice(1) },
  'schedules/:id/activity_stream/': { at: 'schedule' },
  'schedules/:id/explain-access/': { at: 'schedule' },

  'audit_events/': {},
  'audit_events/:id/': { at: 'audit_event' },
  'audit_events/:id/explain-access/': { at: 'audit_event' },

  'notification_templates/': { shows: 'notification_template', POST: may.notify, form: [...may.notify, 'otherAdmin'] },
  'notification_templates/:id/': { at: 'notification_template', ...writes(may.notify) },
  'notification_templates/:id/copy/': { at: 'notification_template', POST: may.notify },
  'notification_templates/:id/test/': { at: 'notification_template', GET: null, POST: may.notify },
  'notification_templates/:id/notifications/': { at: 'notification_template', shows: 'notification' },
  'notification_templates/:id/activity_stream/': { at: 'notification_template' },
  'notification_templates/:id/explain-access/': { at: 'notification_template' },
  'organizations/:id/notification_templates/': {
    at: 'organization',
    shows: 'notification_template',
    POST: may.notify,
  },
  'notifications/': { shows: 'notification' },
  'notifications/:id/': { at: 'notification' },
  'notifications/:id/redeliver/': { at: 'notification', GET: null, POST: may.notify },
  'notifications/:id/explain-access/': { at: 'notification' },
  ...notifying('organizations', 'organization', [...admin, 'auditor', 'organization.auditor'], ['approvals']),
  ...notifying('projects', 'project', may.project),
  ...notifying('job_templates', 'job_template', see.job_template!),
  ...notifying('workflow_job_templates', 'workflow_job_template', see.workflow_job_template!, ['approvals']),
  ...notifying('inventory_sources', 'inventory_source', see.inventory_source!),
  ...notifying('system_job_templates', 'system_job_template', superuser),

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
  'organizations/:id/workflow_job_templates/': {
    at: 'organization',
    shows: 'workflow_job_template',
    POST: keepers,
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

  'role_metadata/': {},
  'role_definitions/': { POST: superuser },
  'role_definitions/:id/': { ...writes(superuser) },
  'role_definitions/:id/user_assignments/': {},
  'role_definitions/:id/team_assignments/': {},
  'role_definitions/:id/activity_stream/': {},
  'role_definitions/:id/explain-access/': {},
  // who administers something else sees neither the inventory nor, some of them, the user
  'role_user_assignments/': {
    shows: 'role_user_assignment',
    POST: [...admin, 'organization.inventory_admin'],
    unseen: administrators,
    form: administrators,
  },
  'role_user_assignments/:id/': { at: 'role_user_assignment', DELETE: admin },
  'role_user_assignments/:id/explain-access/': { at: 'role_user_assignment' },
  'role_team_assignments/': {
    shows: 'role_team_assignment',
    POST: admin,
    unseen: administrators,
    form: administrators,
  },
  'role_team_assignments/:id/': { at: 'role_team_assignment', DELETE: admin },
  'role_team_assignments/:id/explain-access/': { at: 'role_team_assignment' },

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

  'instances/': { shows: 'instance', POST: superuser, answers: { POST: '400' } },
  'instances/:id/': { at: 'instance', ...changes(superuser) },
  'instances/:id/health_check/': { at: 'instance', GET: see.settings!, POST: superuser },
  // nodes of the service install themselves
  'instances/:id/install_bundle/': { at: 'instance', GET: see.settings!, answers: { GET: '400' } },
  'instances/:id/peers/': { at: 'instance' },
  'instances/:id/receptor_addresses/': { at: 'instance' },
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
  // the inventory of the matrix is a plain one, which is made of no others
  'inventories/:id/input_inventories/': { at: 'inventory', POST: [], unseen: may.inventory },
  'inventories/:id/instance_groups/': { at: 'inventory', POST: superuser, unseen: may.inventory.slice(1) },
  'inventories/:id/activity_stream/': { at: 'inventory' },
  'inventories/:id/object_roles/': { at: 'inventory' },
  'inventories/:id/copy/': { at: 'inventory', POST: [...admin, 'organization.inventory_admin'] },
  'inventories/:id/variable_data/': { at: 'inventory', ...changes(may.inventory) },
  'inventories/:id/script/': { at: 'inventory' },
  'inventories/:id/tree/': { at: 'inventory' },
  'inventories/:id/access_list/': { at: 'inventory' },
  'inventories/:id/explain-access/': { at: 'inventory' },

  'inventories/:id/inventory_sources/': {
    at: 'inventory',
    shows: 'inventory_source',
    POST: admin,
    form: may.inventory,
  },
  'inventories/:id/update_inventory_sources/': { at: 'inventory', POST: may.updateInventory },

  // a source of a project takes the right to use that project as well, which of the callers here its administrator has
  'inventory_sources/': {
    shows: 'inventory_source',
    POST: admin,
    form: may.inventory,
  },
  'inventory_sources/:id/': { at: 'inventory_source', ...writes(may.inventory) },
  'inventory_sources/:id/update/': { at: 'inventory_source', POST: may.updateInventory },
  'inventory_sources/:id/preview/': { at: 'inventory_source', GET: null, POST: may.updateInventory },
  'inventory_sources/:id/inventory_updates/': { at: 'inventory_source', shows: 'inventory_update' },
  'inventory_sources/:id/hosts/': { at: 'inventory_source', shows: 'host', DELETE: may.inventory },
  'inventory_sources/:id/groups/': { at: 'inventory_source', DELETE: may.inventory },
  'inventory_sources/:id/credentials/': {
    at: 'inventory_source',
    POST: admin,
    unseen: ['organization.inventory_admin', 'inventory.admin'],
  },
  'inventory_sources/:id/instance_groups/': {
    at: 'inventory_source',
    POST: superuser,
    unseen: may.inventory.slice(1),
  },
  'inventory_sources/:id/schedules/': { at: 'inventory_source', POST: may.updateInventory },
  'inventory_sources/:id/activity_stream/': { at: 'inventory_source' },
  'inventory_sources/:id/explain-access/': { at: 'inventory_source' },

  'inventory_updates/': { shows: 'inventory_update' },
  'inventory_updates/:id/': { at: 'inventory_update', DELETE: may.inventory },
  'inventory_updates/:id/events/': { at: 'inventory_update', shows: 'inventory_update_event' },
  'inventory_updates/:id/credentials/': { at: 'inventory_update' },
  'inventory_updates/:id/notifications/': { at: 'inventory_update' },
  'inventory_updates/:id/cancel/': { at: 'inventory_update', POST: [...may.inventory, 'creator'] },
  'inventory_updates/:id/stdout/': { at: 'inventory_update' },
  'inventory_updates/:id/explain-access/': { at: 'inventory_update' },

  'hosts/': { shows: 'host', POST: may.inventory },
  'hosts/:id/': { at: 'host', ...writes(may.inventory) },
  'hosts/:id/job_events/': { at: 'host' },
  'hosts/:id/job_host_summaries/': { at: 'host', shows: 'job_host_summary' },
  'hosts/:id/groups/': { at: 'host', shows: 'group', POST: may.inventory },
  'hosts/:id/all_groups/': { at: 'host', shows: 'group' },
  'hosts/:id/activity_stream/': { at: 'host', shows: 'activity_stream' },
  'hosts/:id/inventory_sources/': { at: 'host', shows: 'inventory_source' },
  'hosts/:id/variable_data/': { at: 'host', ...changes(may.inventory) },
  'hosts/:id/engine_facts/': { at: 'host' },
  'hosts/:id/ansible_facts/': { at: 'host' },
  'hosts/:id/smart_inventories/': { at: 'host' },
  'hosts/:id/explain-access/': { at: 'host' },

  'constructed_inventories/': {
    shows: 'constructed_inventory',
    POST: [...admin, 'organization.inventory_admin'],
    form: [...admin, 'organization.inventory_admin', 'otherAdmin'],
  },
  'constructed_inventories/:id/': { at: 'constructed_inventory', ...writes(constructedKeepers) },
  'constructed_inventories/:id/explain-access/': { at: 'constructed_inventory' },
  'federated_inventories/': {
    shows: 'federated_inventory',
    POST: [...admin, 'organization.inventory_admin'],
    form: [...admin, 'organization.inventory_admin', 'otherAdmin'],
  },
  'federated_inventories/:id/': { at: 'federated_inventory', ...writes(constructedKeepers) },
  'federated_inventories/:id/explain-access/': { at: 'federated_inventory' },
  'bulk/': {},
  // every refusal is 400, but for hosts that are seen and not one's own
  'bulk/host_create/': { POST: may.inventory, unseen: anyone },
  // hosts are looked for when they are named: the form is for everybody
  'bulk/host_delete/': { POST: may.inventory, names: 'host', form: anyone },
  // by members of the organization that may launch the template; every refusal is 400
  'bulk/job_launch/': { POST: admin, unseen: anyone, form: anyone },

  'groups/': { shows: 'group', POST: may.inventory },
  'groups/:id/': { at: 'group', ...writes(may.inventory) },
  'groups/:id/job_events/': { at: 'group' },
  'groups/:id/job_host_summaries/': { at: 'group', shows: 'job_host_summary' },
  'groups/:id/hosts/': { at: 'group', shows: 'host', POST: may.inventory },
  'groups/:id/children/': { at: 'group', POST: may.inventory },
  'groups/:id/all_hosts/': { at: 'group', shows: 'host' },
  'groups/:id/potential_children/': { at: 'group' },
  'groups/:id/activity_stream/': { at: 'group' },
  'groups/:id/inventory_sources/': { at: 'group' },
  'groups/:id/variable_data/': { at: 'group', ...changes(may.inventory) },
  'groups/:id/explain-access/': { at: 'group' },

  'credential_types/': { POST: superuser },
  'credential_types/:id/': { ...writes(superuser) },
  'credential_types/:id/credentials/': { POST: [...admin, 'organization.credential_admin'], form: anyone },
  // only what looks up secrets can be tried
  'credential_types/:id/test/': { GET: null, POST: superuser, answers: { POST: '400' } },
  'credential_types/:id/activity_stream/': {},
  'credential_types/:id/explain-access/': {},

  // everybody may have some of his own
  'credentials/': { shows: 'credential', POST: [...admin, 'organization.credential_admin'], form: anyone },
  'credentials/:id/': { at: 'credential', ...writes(may.credential) },
  // who administers the credential alone may not use the one that looks up
  'credentials/:id/input_sources/': {
    at: 'credential',
    shows: 'credential_input_source',
    POST: [...admin, 'organization.credential_admin'],
    form: may.credential,
  },
  'credentials/:id/test/': {
    at: 'credential',
    GET: null,
    POST: [...may.credential, 'credential.use'],
    answers: { POST: '400' },
  },
  'credentials/:id/owner_teams/': { at: 'credential' },
  'credentials/:id/owner_users/': { at: 'credential' },
  'credentials/:id/activity_stream/': { at: 'credential' },
  'credentials/:id/object_roles/': { at: 'credential' },
  'credentials/:id/copy/': { at: 'credential', POST: [...admin, 'organization.credential_admin'] },
  'credentials/:id/access_list/': { at: 'credential' },
  'credentials/:id/explain-access/': { at: 'credential' },

  'credential_input_sources/': {
    shows: 'credential_input_source',
    POST: [...admin, 'organization.credential_admin'],
    form: may.credential,
  },
  'credential_input_sources/:id/': {
    at: 'credential_input_source',
    ...changes([...admin, 'organization.credential_admin']),
    DELETE: may.credential,
  },
  'credential_input_sources/:id/activity_stream/': { at: 'credential_input_source' },
  'credential_input_sources/:id/explain-access/': { at: 'credential_input_source' },

  'projects/': {
    shows: 'project',
    POST: [...admin, 'organization.project_admin'],
    form: [...admin, 'organization.project_admin', 'otherAdmin'],
  },
  'projects/:id/': { at: 'project', ...writes(may.project) },
  'projects/:id/teams/': { at: 'project' },
  'projects/:id/project_updates/': { at: 'project', shows: 'project_update' },
  'projects/:id/scm_inventory_sources/': { at: 'project', shows: 'inventory_source' },
  'projects/:id/activity_stream/': { at: 'project' },
  'projects/:id/object_roles/': { at: 'project' },
  'projects/:id/update/': { at: 'project', POST: may.updateProject },
  'projects/:id/playbooks/': { at: 'project' },
  'projects/:id/inventories/': { at: 'project' },
  'projects/:id/schedules/': { at: 'project', POST: may.updateProject },
  'projects/:id/webhook_key/': { at: 'project', GET: [...may.project, 'readToken'], POST: may.project },
  // nothing that is not signed
  'projects/:id/github/': receiver,
  'projects/:id/gitlab/': receiver,
  'projects/:id/bitbucket_dc/': receiver,
  'projects/:id/copy/': { at: 'project', POST: [...admin, 'organization.project_admin'] },
  'projects/:id/access_list/': { at: 'project' },
  'projects/:id/explain-access/': { at: 'project' },

  'project_updates/': { shows: 'project_update' },
  'project_updates/:id/': { at: 'project_update', DELETE: may.project },
  'project_updates/:id/events/': { at: 'project_update', shows: 'project_update_event' },
  'project_updates/:id/scm_inventory_updates/': { at: 'project_update' },
  'project_updates/:id/cancel/': { at: 'project_update', POST: [...may.project, 'creator'] },
  'project_updates/:id/notifications/': { at: 'project_update' },
  'project_updates/:id/stdout/': { at: 'project_update' },
  'project_updates/:id/explain-access/': { at: 'project_update' },

  'workflow_job_templates/': { shows: 'workflow_job_template', POST: keepers, form: [...keepers, 'otherAdmin'] },
  'workflow_job_templates/:id/': { at: 'workflow_job_template', ...writes(may.workflow) },
  'workflow_job_templates/:id/workflow_jobs/': { at: 'workflow_job_template', shows: 'workflow_job' },
  'workflow_job_templates/:id/workflow_nodes/': {
    at: 'workflow_job_template',
    shows: 'workflow_job_template_node',
    POST: may.workflow,
  },
  'workflow_job_templates/:id/labels/': {
    at: 'workflow_job_template',
    POST: keepers,
    unseen: ['workflow_job_template.admin'],
  },
  'workflow_job_templates/:id/activity_stream/': { at: 'workflow_job_template' },
  'workflow_job_templates/:id/object_roles/': { at: 'workflow_job_template' },
  'workflow_job_templates/:id/access_list/': { at: 'workflow_job_template' },
  'workflow_job_templates/:id/explain-access/': { at: 'workflow_job_template' },
  'workflow_job_templates/:id/launch/': { at: 'workflow_job_template', POST: may.runWorkflow },
  'workflow_job_templates/:id/survey_spec/': {
    at: 'workflow_job_template',
    POST: may.workflow,
    DELETE: may.workflow,
  },
  'workflow_job_templates/:id/webhook_key/': {
    at: 'workflow_job_template',
    GET: [...may.workflow, 'readToken'],
    POST: may.workflow,
  },
  'workflow_job_templates/:id/github/': receiver,
  'workflow_job_templates/:id/gitlab/': receiver,
  'workflow_job_templates/:id/bitbucket_dc/': receiver,
  'workflow_job_templates/:id/copy/': { at: 'workflow_job_template', POST: keepers },
  'workflow_job_templates/:id/schedules/': { at: 'workflow_job_template', POST: may.runWorkflow },
  'workflow_job_template_nodes/': { shows: 'workflow_job_template_node', POST: may.workflow },
  'workflow_job_template_nodes/:id/': { at: 'workflow_job_template_node', ...writes(may.workflow) },
  'workflow_job_template_nodes/:id/success_nodes/': { at: 'workflow_job_template_node', POST: may.workflow },
  'workflow_job_template_nodes/:id/failure_nodes/': { at: 'workflow_job_template_node', POST: may.workflow },
  'workflow_job_template_nodes/:id/always_nodes/': { at: 'workflow_job_template_node', POST: may.workflow },
  'workflow_job_template_nodes/:id/condition_nodes/': { at: 'workflow_job_template_node', POST: may.workflow },
  'workflow_job_template_nodes/:id/credentials/': {
    at: 'workflow_job_template_node',
    POST: admin,
    unseen: ['organization.workflow_admin', 'workflow_job_template.admin'],
    form: admin,
  },
  'workflow_job_template_nodes/:id/labels/': {
    at: 'workflow_job_template_node',
    POST: admin,
    unseen: ['workflow_job_template.admin'],
    form: admin,
  },
  'workflow_job_template_nodes/:id/instance_groups/': {
    at: 'workflow_job_template_node',
    POST: superuser,
    unseen: may.workflow.slice(1),
    form: admin,
  },
  'workflow_job_template_nodes/:id/create_approval_template/': {
    at: 'workflow_job_template_node',
    POST: may.workflow,
  },
  'workflow_job_template_nodes/:id/explain-access/': { at: 'workflow_job_template_node' },
  'workflow_jobs/': { shows: 'workflow_job' },
  'workflow_jobs/:id/': { at: 'workflow_job', DELETE: keepers },
  'workflow_jobs/:id/workflow_nodes/': { at: 'workflow_job', shows: 'workflow_job_node' },
  'workflow_jobs/:id/labels/': { at: 'workflow_job' },
  'workflow_jobs/:id/activity_stream/': { at: 'workflow_job' },
  'workflow_jobs/:id/notifications/': { at: 'workflow_job' },
  'workflow_jobs/:id/cancel/': { at: 'workflow_job', POST: may.workflow },
  'workflow_jobs/:id/relaunch/': { at: 'workflow_job', POST: may.runWorkflow },
  'workflow_jobs/:id/explain-access/': { at: 'workflow_job' },
  'workflow_job_nodes/': { shows: 'workflow_job_node' },
  'workflow_job_nodes/:id/': { at: 'workflow_job_node' },
  'workflow_job_nodes/:id/success_nodes/': { at: 'workflow_job_node' },
  'workflow_job_nodes/:id/failure_nodes/': { at: 'workflow_job_node' },
  'workflow_job_nodes/:id/always_nodes/': { at: 'workflow_job_node' },
  'workflow_job_nodes/:id/condition_nodes/': { at: 'workflow_job_node' },
  'workflow_job_nodes/:id/credentials/': { at: 'workflow_job_node' },
  'workflow_job_nodes/:id/labels/': { at: 'workflow_job_node' },
  'workflow_job_nodes/:id/instance_groups/': { at: 'workflow_job_node' },
  'workflow_job_nodes/:id/explain-access/': { at: 'workflow_job_node' },
  // while it waits for an answer it is not deleted
  'workflow_approval_templates/:id/': { at: 'workflow_approval_template', ...writes(may.workflow) },
  'workflow_approval_templates/:id/approvals/': { at: 'workflow_approval_template', shows: 'workflow_approval' },
  'workflow_approval_templates/:id/activity_stream/': { at: 'workflow_approval_template' },
  'workflow_approval_templates/:id/explain-access/': { at: 'workflow_approval_template' },
  'workflow_approvals/': { shows: 'workflow_approval' },
  'workflow_approvals/:id/': { at: 'workflow_approval', DELETE: superuser },
  'workflow_approvals/:id/approve/': { at: 'workflow_approval', POST: may.approve },
  'workflow_approvals/:id/deny/': { at: 'workflow_approval', POST: may.approve },
  'workflow_approvals/:id/cancel/': { at: 'workflow_approval', POST: superuser },
  'workflow_approvals/:id/votes/': { at: 'workflow_approval', shows: 'workflow_approval_vote' },
  'workflow_approvals/:id/activity_stream/': { at: 'workflow_approval' },
  'workflow_approvals/:id/notifications/': { at: 'workflow_approval' },
  'workflow_approvals/:id/explain-access/': { at: 'workflow_approval' },
  'workflow_approval_votes/': { shows: 'workflow_approval_vote' },
  'workflow_approval_votes/:id/': { at: 'workflow_approval_vote' },
  'workflow_approval_votes/:id/explain-access/': { at: 'workflow_approval_vote' },

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
  'job_templates/:id/survey_spec/': { at: 'job_template', POST: may.template, DELETE: may.template },
  'job_templates/:id/webhook_key/': { at: 'job_template', GET: [...may.template, 'readToken'], POST: may.template },
  'job_templates/:id/schedules/': { at: 'job_template', shows: 'schedule', POST: may.execute },
  'job_templates/:id/slice_workflow_jobs/': { at: 'job_template' },
  'job_templates/:id/callback/': { ...receiver, at: 'job_template', GET: anyone },
  'job_templates/:id/github/': receiver,
  'job_templates/:id/gitlab/': receiver,
  'job_templates/:id/bitbucket_dc/': receiver,
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
  'jobs/:id/create_schedule/': { at: 'job', POST: may.execute },
  'jobs/:id/notifications/': { at: 'job' },
  'jobs/:id/relaunch/': { at: 'job', POST: may.execute },
  'jobs/:id/stdout/': { at: 'job' },
  'jobs/:id/job_events/children_summary/': { at: 'job' },
  'jobs/:id/explain-access/': { at: 'job' },

  'job_events/:id/': { at: 'job_event' },
  'job_events/:id/children/': { at: 'job_event' },
  'job_events/:id/explain-access/': { at: 'job_event' },
  'job_host_summaries/:id/': { at: 'job_host_summary' },
  'job_host_summaries/:id/explain-access/': { at: 'job_host_summary' },

  'execution_environments/': {
    shows: 'execution_environment',
    POST: may.environment,
    form: [...may.environment, 'otherAdmin'],
  },
  'execution_environments/:id/': { at: 'execution_environment', ...writes(may.environment) },
  'execution_environments/:id/copy/': { at: 'execution_environment', POST: may.environment },
  'execution_environments/:id/unified_job_templates/': { at: 'execution_environment' },
  'execution_environments/:id/activity_stream/': { at: 'execution_environment' },
  'execution_environments/:id/explain-access/': { at: 'execution_environment' },
  'organizations/:id/execution_environments/': {
    at: 'organization',
    shows: 'execution_environment',
    POST: may.environment,
  },

  'ad_hoc_commands/': { shows: 'ad_hoc_command', POST: may.adhoc },
  'ad_hoc_commands/:id/': { at: 'ad_hoc_command', DELETE: admin },
  'ad_hoc_commands/:id/events/': { at: 'ad_hoc_command', shows: 'ad_hoc_command_event' },
  'ad_hoc_commands/:id/activity_stream/': { at: 'ad_hoc_command' },
  'ad_hoc_commands/:id/notifications/': { at: 'ad_hoc_command' },
  'ad_hoc_commands/:id/cancel/': { at: 'ad_hoc_command', POST: may.inventory },
  'ad_hoc_commands/:id/relaunch/': { at: 'ad_hoc_command', POST: may.adhoc },
  'ad_hoc_commands/:id/stdout/': { at: 'ad_hoc_command' },
  'ad_hoc_commands/:id/explain-access/': { at: 'ad_hoc_command' },
  'ad_hoc_command_events/:id/': { at: 'ad_hoc_command_event' },
  'ad_hoc_command_events/:id/explain-access/': { at: 'ad_hoc_command_event' },
  'inventories/:id/ad_hoc_commands/': { at: 'inventory', shows: 'ad_hoc_command', POST: may.adhoc },
  'hosts/:id/ad_hoc_commands/': { at: 'host', shows: 'ad_hoc_command', POST: may.adhoc },
  'hosts/:id/ad_hoc_command_events/': { at: 'host', shows: 'ad_hoc_command_event' },
  'groups/:id/ad_hoc_commands/': { at: 'group', shows: 'ad_hoc_command', POST: may.adhoc },

  'system_job_templates/': { shows: 'system_job_template' },
  'system_job_templates/:id/': { at: 'system_job_template' },
  'system_job_templates/:id/schedules/': { at: 'system_job_template', POST: superuser },
  'system_job_templates/:id/jobs/': { at: 'system_job_template', shows: 'system_job' },
  'system_job_templates/:id/launch/': { at: 'system_job_template', POST: superuser },
  'system_job_templates/:id/explain-access/': { at: 'system_job_template' },
  'system_jobs/': { shows: 'system_job' },
  'system_jobs/:id/': { at: 'system_job', DELETE: superuser },
  'system_jobs/:id/events/': { at: 'system_job', shows: 'system_job_event' },
  'system_jobs/:id/activity_stream/': { at: 'system_job' },
  'system_jobs/:id/notifications/': { at: 'system_job' },
  'system_jobs/:id/cancel/': { at: 'system_job', POST: superuser },
  'system_jobs/:id/stdout/': { at: 'system_job' },
  'system_jobs/:id/explain-access/': { at: 'system_job' },

  'unified_jobs/': { shows: 'job' },
  'unified_job_templates/': { shows: 'job_template' },
  'activity_stream/': { shows: 'activity_stream' },
  'activity_stream/:id/': { at: 'activity_stream' },
  'activity_stream/:id/explain-access/': { at: 'activity_stream' },
};

/** The status that the table states; 2xx stands for a success of any kind. */
export function expected(line: Line, method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', name: string): string {
  // whoever sends a token that may only read is told so, also where none is needed
  if (line.open === 'POST' && method === 'POST' && name === 'readToken') return '403';
  if (line.open === true || line.open === method) return line.answers?.[method as 'POST'] ?? '2xx';
  if (name === 'anonymous' || name === 'disabled') return line.stranger ?? '401';
  if (method !== 'GET' && name === 'readToken') return '403';
  if (line.at !== undefined && !see[line.at]!.includes(name)) return '404';
  const allowed = line[method] ?? (method === 'GET' ? anyone : []);
  if (allowed.includes('*') || allowed.includes(name)) return line.answers?.[method as 'POST'] ?? '2xx';
  return line.unseen === anyone || line.unseen?.includes(name) || (line.names && !see[line.names]!.includes(name))
    ? '400'
    : '403';
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
