import type { Actor } from '@tapline/plugin-sdk';
import { type Facts } from './islands.ts';
import { sees } from './sees.ts';

/** Lists of all rows that the caller sees, by their path below /api/v2/, with the type of the rows. */
export const topLists: Record<string, string> = {
  'organizations/': 'organization',
  'users/': 'user',
  'applications/': 'o_auth2_application',
  'tokens/': 'o_auth2_access_token',
  'teams/': 'team',
  'roles/': 'role',
  'role_definitions/': 'role_definition',
  'role_user_assignments/': 'role_user_assignment',
  'role_team_assignments/': 'role_team_assignment',
  'instance_groups/': 'instance_group',
  'labels/': 'label',
  'instances/': 'instance',
  'inventories/': 'inventory',
  'constructed_inventories/': 'constructed_inventory',
  'federated_inventories/': 'federated_inventory',
  'hosts/': 'host',
  'groups/': 'group',
  'credential_types/': 'credential_type',
  'credentials/': 'credential',
  'credential_input_sources/': 'credential_input_source',
  'projects/': 'project',
  'project_updates/': 'project_update',
  'job_templates/': 'job_template',
  'workflow_job_templates/': 'workflow_job_template',
  'workflow_jobs/': 'workflow_job',
  'inventory_sources/': 'inventory_source',
  'inventory_updates/': 'inventory_update',
  'jobs/': 'job',
  'system_job_templates/': 'system_job_template',
  'system_jobs/': 'system_job',
  'execution_environments/': 'execution_environment',
  'ad_hoc_commands/': 'ad_hoc_command',
  'unified_jobs/': 'unified_job',
  'unified_job_templates/': 'unified_job_template',
  'activity_stream/': 'activity_stream',
  'notification_templates/': 'notification_template',
  'notifications/': 'notification',
  'audit_events/': 'audit_event',
  'hooks/traces/': 'hook_trace',
  'schedules/': 'schedule',
  'workflow_job_template_nodes/': 'workflow_job_template_node',
  'workflow_job_nodes/': 'workflow_job_node',
  'workflow_approvals/': 'workflow_approval',
  'workflow_approval_votes/': 'workflow_approval_vote',
};

/** Lists, or what looks like one, that tell of no rows which some see and others do not. */
export const elsewhere: Record<string, string> = {
  'host_metrics/': 'counts of hosts by name, for superusers and auditors: the matrix asks who may',
  'host_metric_summary_monthly/': 'the same by month',
  'hosts/:id/smart_inventories/': 'asked of filters, not of links: inventory/smart.test.ts',
  'inventories/:id/update_inventory_sources/': 'sources that can be updated: inventory/sources.test.ts',
  'instances/:id/peers/': 'other nodes, of which there are none here: nodes/group-policies.test.ts',
  'instances/:id/receptor_addresses/': 'the same',
  'receptor_addresses/': 'empty: nodes have no addresses in a mesh',
  'hooks/': 'taps of plugins, for superusers and auditors: the matrix asks who may',
  'system_state/': 'what is missing on a node, for superusers and auditors: the matrix asks who may',
  'plugin_switches/': 'the plugins that there are, for superusers and auditors: the matrix asks who may',
  'plugins/': 'the plugins that are on, for superusers and auditors: the matrix asks who may',
  'recommendations/': 'advice that is the same for everybody: the tests of that plugin',
  'me/': 'the caller alone: asked here with the lists',
  'console_pages/': 'where the code of pages of plugins is, the same for everybody: the tests of the console',
  'navigation/': 'entries of menus, by the flags of the caller: the tests of plugins',
  'settings/': 'categories of settings: the matrix asks who may',
  'policies/': 'of a plugin, by the roles of an organization: the matrix asks who sees them, as of those that follow',
  'policy_decisions/': 'the same',
  'policy_waivers/': 'the same',
  'policies/:id/waivers/': 'the same',
  'policies/:id/decisions/': 'the same',
  'scanners/': 'the same',
  'scan_results/': 'the same',
  'accepted_findings/': 'the same',
  'scanners/:id/accepted_findings/': 'the same',
  'scanners/:id/results/': 'the same',
  'accepted_findings/:id/activity_stream/': 'the same',
  'event_rules/': 'the same',
  'event_rules/:id/event_logs/': 'the same',
  'event_logs/': 'the same',
  'outbound_webhooks/': 'the same',
  'outbound_webhooks/:id/deliveries/': 'the same',
  'outbound_webhook_deliveries/': 'the same',
  'policies/:id/activity_stream/': 'the same',
  'policy_decisions/:id/activity_stream/': 'the same',
  'policy_waivers/:id/activity_stream/': 'the same',
  'scanners/:id/activity_stream/': 'the same',
  'scan_results/:id/activity_stream/': 'the same',
  'event_rules/:id/activity_stream/': 'the same',
  'event_logs/:id/activity_stream/': 'the same',
  'outbound_webhooks/:id/activity_stream/': 'the same',
  'outbound_webhook_deliveries/:id/activity_stream/': 'the same',
  'inventories/:id/tree/': 'the groups of an inventory that the caller sees, all of which it sees as well',
  'projects/:id/playbooks/': 'names of files in the checkout of a project that the caller sees',
  'projects/:id/inventories/': 'names of files in the checkout of a project that the caller sees',
};

/** Rows that are in no list of their type, whoever asks. */
export const unlisted = (type: string, row: any): boolean =>
  (type === 'unified_job' && row.kind === 'workflow_approval') ||
  (['job', 'project_update', 'inventory_update', 'ad_hoc_command', 'system_job', 'unified_job'].includes(type) &&
    row.status === 'new');

type Tied = (facts: Facts, parent: any, row: any) => boolean;

export interface Sublist {
  /** of the record that the list is below */
  parent: string;
  type: string;
  tied: Tied;
  /** the links whose order the list keeps */
  inOrder?: Link;
}

type LinkTable = Parameters<Facts['links']>[0];
type Link = [table: LinkTable, parent: string, child: string];

const by =
  (column: string): Tied =>
  (_facts, parent, row) =>
    row[column] === parent.id;
const broughtBy: Tied = (_facts, part, source) => part.source_ids.map(Number).includes(source.id);
const linked =
  ([table, parent, child]: Link): Tied =>
  (facts, above, row) =>
    facts.links(table, parent, above.id).some((link) => link[child] === row.id);

/** Everything that hangs below a group, or above it; the group itself, too. */
function closure(facts: Facts, groups: number[], from: 'parent_id' | 'child_id', to: 'parent_id' | 'child_id') {
  const found = new Set(groups);
  for (const id of found) for (const link of facts.links('group_children', from, id)) found.add(link[to]);
  return found;
}
const inside = (facts: Facts, group: { id: number }) => closure(facts, [group.id], 'parent_id', 'child_id');
const hostsInside = (facts: Facts, group: { id: number }) =>
  new Set(
    [...inside(facts, group)].flatMap((id) => facts.links('group_hosts', 'group_id', id).map(({ host_id }) => host_id)),
  );
const eventsOf = (facts: Facts, run: { id: number }): any[] =>
  facts.rows['ad_hoc_command_event']!.filter((event) => event.run_id === run.id);
const labelOfRun: Tied = (_facts, run, label) => (run.label_ids ?? []).map(Number).includes(label.id);
const ofGroup: Tied = (facts, group, row) => hostsInside(facts, group).has(row.host_id);

const member =
  (type: string, field: string): Tied =>
  ({ graph }, parent, user) =>
    graph.given(user).includes(graph.roleId(type, parent.id, field) ?? -1);
const givenTo =
  (type: string, ...fields: string[]): Tied =>
  ({ graph }, user, row) =>
    fields.some((field) => graph.given(user).includes(graph.roleId(type, row.id, field) ?? -1));

/** The team was given one of these roles on the record, not to its administrators alone. */
const teamHas = (facts: Facts, team: number, type: string, id: number, fields?: string[]): boolean =>
  facts.links('role_teams', 'team_id', team).some(({ role_id, for_admins }) => {
    const role = facts.graph.role(role_id);
    return (
      !for_admins && role.content_type === type && role.object_id === id && (fields?.includes(role.role_field) ?? true)
    );
  });

/** With the entries about what belongs to the record. */
const about =
  (type: string, parts: Record<string, string> = {}): Tied =>
  (facts, parent, entry) =>
    facts
      .links('activity_objects', 'activity_id', entry.id)
      .some(
        (object) =>
          (object.type === type && object.object_id === parent.id) ||
          (object.type in parts && facts.byId(object.type, object.object_id)?.[parts[object.type]!] === parent.id),
      );

const hasRole =
  (type: string): Tied =>
  ({ graph }, parent, user) => {
    if (user.is_superuser || user.is_system_auditor) return true;
    const held = graph.held(user);
    return graph.rolesOf(type, parent.id).some((id) => held.has(id));
  };

/** What every record with roles has below it. */
const ofRecord = (type: string): Record<string, [string, Tied, Link?]> => ({
  object_roles: ['role', (_facts, parent, role) => role.content_type === type && role.object_id === parent.id],
  access_list: ['user', hasRole(type)],
  activity_stream: [
    'activity_stream',
    about(type, type === 'inventory' ? { host: 'inventory_id', group: 'inventory_id' } : {}),
  ],
});
const inOrder = (type: string, ...link: Link): [string, Tied, Link] => [type, linked(link), link];
const instanceGroups = (kind: 'organization' | 'inventory' | 'template') =>
  inOrder('instance_group', `${kind}_instance_groups`, `${kind}_id`, 'instance_group_id');

const schedules: Record<string, [string, Tied]> = { schedules: ['schedule', by('unified_job_template_id')] };

/** What a saved launch holds. */
const saved = (lists: 'schedule' | 'workflow_node' | 'workflow_job_node', key: string) =>
  ({
    credentials: ['credential', linked([`${lists}_credentials`, key, 'credential_id'])],
    labels: ['label', linked([`${lists}_labels`, key, 'label_id'])],
    instance_groups: inOrder('instance_group', `${lists}_instance_groups`, key, 'instance_group_id'),
  }) satisfies Record<string, [string, Tied, Link?]>;

/** What follows a node, by the way that leads there. */
const following = (type: string, table: 'workflow_node_links' | 'workflow_job_node_links') =>
  Object.fromEntries(
    ['success', 'failure', 'always', 'condition'].map((kind): [string, [string, Tied]] => [
      `${kind}_nodes`,
      [
        type,
        (facts, node, row) =>
          facts.links(table, 'parent_id', node.id).some((link) => link.kind === kind && link.child_id === row.id),
      ],
    ]),
  );

/** A federated inventory shows what its inputs hold. */
const heldOrShown: Tied = (facts, inventory, row) =>
  inventory.kind === 'federated'
    ? facts
        .links('inventory_inputs', 'inventory_id', inventory.id)
        .some(({ input_id: input }) => input === row.inventory_id)
    : row.inventory_id === inventory.id;

/** Which notification templates are told of runs, by the event. */
const notifying = (kind: 'organization' | 'template', more: readonly string[] = []): Record<string, [string, Tied]> =>
  Object.fromEntries(
    ['started', 'success', 'error', ...more].map((event) => [
      `notification_templates_${event}`,
      [
        'notification_template',
        (facts, parent, row) =>
          facts
            .links(`${kind}_notifications`, `${kind}_id`, parent.id)
            .some((link) => link.event === event && link.notification_template_id === row.id),
      ],
    ]),
  );

const below: Record<string, [parent: string, lists: Record<string, [type: string, tied: Tied, inOrder?: Link]>]> = {
  organizations: [
    'organization',
    {
      ...ofRecord('organization'),
      users: ['user', member('organization', 'member_role')],
      admins: ['user', member('organization', 'admin_role')],
      teams: ['team', by('organization_id')],
      execution_environments: ['execution_environment', by('organization_id')],
      notification_templates: ['notification_template', by('organization_id')],
      ...notifying('organization', ['approvals']),
      inventories: ['inventory', by('organization_id')],
      projects: ['project', by('organization_id')],
      job_templates: ['job_template', by('organization_id')],
      workflow_job_templates: ['workflow_job_template', by('organization_id')],
      applications: ['o_auth2_application', by('organization_id')],
      credentials: ['credential', by('organization_id')],
      instance_groups: instanceGroups('organization'),
      galaxy_credentials: inOrder('credential', 'organization_galaxy_credentials', 'organization_id', 'credential_id'),
    },
  ],
  users: [
    'user',
    {
      roles: ['role', ({ graph }, user, role) => graph.given(user).includes(role.id)],
      organizations: ['organization', givenTo('organization', 'member_role')],
      admin_of_organizations: ['organization', givenTo('organization', 'admin_role')],
      teams: ['team', givenTo('team', 'member_role', 'admin_role')],
      // readable by both
      projects: ['project', (facts, user, row) => sees.project!(facts, user as Actor, row)],
      tokens: ['o_auth2_access_token', by('user_id')],
      personal_tokens: [
        'o_auth2_access_token',
        (_facts, user, row) => row.user_id === user.id && row.application_id === null,
      ],
      authorized_tokens: [
        'o_auth2_access_token',
        (_facts, user, row) => row.user_id === user.id && row.application_id !== null,
      ],
      applications: ['o_auth2_application', by('created_by_id')],
      credentials: ['credential', by('user_id')],
      activity_stream: [
        'activity_stream',
        (facts, user, row) => about('user')(facts, user, row) || row.actor_id === user.id || row.subject_id === user.id,
      ],
      access_list: ['user', (_facts, _user, row) => row.is_superuser || row.is_system_auditor],
    },
  ],
  applications: [
    'o_auth2_application',
    {
      tokens: ['o_auth2_access_token', by('application_id')],
      activity_stream: ['activity_stream', about('o_auth2_application')],
    },
  ],
  tokens: ['o_auth2_access_token', { activity_stream: ['activity_stream', about('o_auth2_access_token')] }],
  teams: [
    'team',
    {
      ...ofRecord('team'),
      users: ['user', member('team', 'member_role')],
      roles: [
        'role',
        (facts, team, role) =>
          facts.links('role_teams', 'team_id', team.id).some((link) => link.role_id === role.id && !link.for_admins),
      ],
      projects: ['project', (facts, team, row) => teamHas(facts, team.id, 'project', row.id)],
      credentials: [
        'credential',
        (facts, team, row) =>
          facts
            .links('role_teams', 'team_id', team.id)
            .map(({ role_id }) => facts.graph.role(role_id))
            .some((role) => role.content_type === 'credential' && role.object_id === row.id),
      ],
    },
  ],
  role_definitions: [
    'role_definition',
    {
      user_assignments: ['role_user_assignment', by('role_definition_id')],
      team_assignments: ['role_team_assignment', by('role_definition_id')],
      activity_stream: ['activity_stream', about('role_definition')],
    },
  ],
  credential_input_sources: [
    'credential_input_source',
    { activity_stream: ['activity_stream', about('credential_input_source')] },
  ],
  roles: [
    'role',
    {
      users: ['user', ({ graph }, role, user) => graph.given(user).includes(role.id)],
      teams: [
        'team',
        (facts, role, team) =>
          facts.links('role_teams', 'role_id', role.id).some((link) => link.team_id === team.id && !link.for_admins),
      ],
      parents: ['role', ({ graph }, role, other) => graph.parents(role.id).has(other.id)],
      children: ['role', ({ graph }, role, other) => graph.children(role.id).has(other.id)],
    },
  ],
  instance_groups: [
    'instance_group',
    {
      ...ofRecord('instance_group'),
      instances: ['instance', linked(['instance_group_instances', 'instance_group_id', 'instance_id'])],
      jobs: [
        'unified_job',
        (facts, group, run) =>
          facts
            .links('instance_group_instances', 'instance_group_id', group.id)
            .some((link) => link.instance_id === run.instance_id),
      ],
    },
  ],
  labels: ['label', { activity_stream: ['activity_stream', about('label')] }],
  instances: [
    'instance',
    {
      jobs: ['unified_job', by('instance_id')],
      instance_groups: ['instance_group', linked(['instance_group_instances', 'instance_id', 'instance_group_id'])],
    },
  ],
  inventories: [
    'inventory',
    {
      ...ofRecord('inventory'),
      job_templates: ['job_template', by('inventory_id')],
      ad_hoc_commands: ['ad_hoc_command', by('inventory_id')],
      hosts: ['host', heldOrShown],
      groups: ['group', heldOrShown],
      root_groups: [
        'group',
        (facts, inventory, row) =>
          heldOrShown(facts, inventory, row) && !facts.links('group_children', 'child_id', row.id).length,
      ],
      instance_groups: instanceGroups('inventory'),
      labels: ['label', linked(['inventory_labels', 'inventory_id', 'label_id'])],
      inventory_sources: ['inventory_source', by('inventory_id')],
      input_inventories: inOrder('inventory', 'inventory_inputs', 'inventory_id', 'input_id'),
    },
  ],
  hosts: [
    'host',
    {
      job_events: ['job_event', by('host_id')],
      ad_hoc_command_events: ['ad_hoc_command_event', by('host_id')],
      ad_hoc_commands: [
        'ad_hoc_command',
        (facts, host, row) => eventsOf(facts, row).some((event) => event.host_id === host.id),
      ],
      job_host_summaries: [
        'job_host_summary',
        (_facts, host, row) => [row.host_id, row.constructed_host_id].includes(host.id),
      ],
      groups: ['group', linked(['group_hosts', 'host_id', 'group_id'])],
      all_groups: [
        'group',
        (facts, host, row) => {
          const direct = facts.links('group_hosts', 'host_id', host.id).map(({ group_id }) => group_id);
          return closure(facts, direct, 'child_id', 'parent_id').has(row.id);
        },
      ],
      inventory_sources: ['inventory_source', broughtBy],
      activity_stream: ['activity_stream', about('host')],
    },
  ],
  groups: [
    'group',
    {
      job_events: ['job_event', ofGroup],
      ad_hoc_commands: [
        'ad_hoc_command',
        (facts, group, row) => eventsOf(facts, row).some((event) => ofGroup(facts, group, event)),
      ],
      job_host_summaries: ['job_host_summary', ofGroup],
      hosts: ['host', linked(['group_hosts', 'group_id', 'host_id'])],
      children: ['group', linked(['group_children', 'parent_id', 'child_id'])],
      all_hosts: ['host', (facts, group, row) => hostsInside(facts, group).has(row.id)],
      potential_children: [
        'group',
        (facts, group, row) =>
          row.inventory_id === group.inventory_id &&
          !inside(facts, group).has(row.id) &&
          !closure(facts, [group.id], 'child_id', 'parent_id').has(row.id),
      ],
      inventory_sources: ['inventory_source', broughtBy],
      activity_stream: ['activity_stream', about('group')],
    },
  ],
  credential_types: [
    'credential_type',
    {
      credentials: ['credential', by('credential_type_id')],
      activity_stream: ['activity_stream', about('credential_type')],
    },
  ],
  credentials: [
    'credential',
    {
      ...ofRecord('credential'),
      owner_teams: ['team', (facts, row, team) => teamHas(facts, team.id, 'credential', row.id, ['admin_role'])],
      owner_users: ['user', (_facts, row, user) => row.user_id === user.id],
      input_sources: ['credential_input_source', by('target_credential_id')],
    },
  ],
  projects: [
    'project',
    {
      ...ofRecord('project'),
      teams: ['team', (facts, project, team) => teamHas(facts, team.id, 'project', project.id)],
      project_updates: ['project_update', by('template_id')],
      scm_inventory_sources: ['inventory_source', by('project_id')],
      ...notifying('template'),
      ...schedules,
    },
  ],
  project_updates: [
    'project_update',
    {
      events: ['project_update_event', by('run_id')],
      notifications: ['notification', by('run_id')],
      scm_inventory_updates: [
        'inventory_update',
        (facts, update, row) =>
          facts.links('run_dependencies', 'depends_on', update.id).some((link) => link.run_id === row.id),
      ],
    },
  ],
  inventory_sources: [
    'inventory_source',
    {
      inventory_updates: ['inventory_update', by('template_id')],
      ...schedules,
      ...notifying('template'),
      hosts: ['host', (facts, source, row) => broughtBy(facts, row, source)],
      groups: ['group', (facts, source, row) => broughtBy(facts, row, source)],
      credentials: ['credential', (_facts, source, row) => source.credential_id === row.id],
      instance_groups: instanceGroups('template'),
      activity_stream: ['activity_stream', about('inventory_source')],
    },
  ],
  inventory_updates: [
    'inventory_update',
    {
      events: ['inventory_update_event', by('run_id')],
      notifications: ['notification', by('run_id')],
      credentials: ['credential', linked(['run_credentials', 'run_id', 'credential_id'])],
    },
  ],
  job_templates: [
    'job_template',
    {
      ...ofRecord('job_template'),
      jobs: ['job', by('template_id')],
      slice_workflow_jobs: ['workflow_job', by('template_id')],
      ...schedules,
      credentials: ['credential', linked(['template_credentials', 'template_id', 'credential_id'])],
      instance_groups: instanceGroups('template'),
      labels: ['label', linked(['template_labels', 'template_id', 'label_id'])],
      ...notifying('template'),
    },
  ],
  workflow_job_templates: [
    'workflow_job_template',
    {
      ...ofRecord('workflow_job_template'),
      workflow_jobs: ['workflow_job', by('template_id')],
      workflow_nodes: ['workflow_job_template_node', by('workflow_job_template_id')],
      ...schedules,
      labels: ['label', linked(['template_labels', 'template_id', 'label_id'])],
      ...notifying('template', ['approvals']),
    },
  ],
  jobs: [
    'job',
    {
      job_events: ['job_event', by('run_id')],
      job_host_summaries: ['job_host_summary', by('run_id')],
      notifications: ['notification', by('run_id')],
      credentials: ['credential', linked(['run_credentials', 'run_id', 'credential_id'])],
      labels: ['label', labelOfRun],
      activity_stream: ['activity_stream', about('job')],
    },
  ],
  execution_environments: [
    'execution_environment',
    {
      unified_job_templates: ['unified_job_template', by('execution_environment_id')],
      activity_stream: ['activity_stream', about('execution_environment')],
    },
  ],
  system_job_templates: [
    'system_job_template',
    { jobs: ['system_job', by('template_id')], ...notifying('template'), ...schedules },
  ],
  schedules: [
    'schedule',
    {
      jobs: ['unified_job', by('schedule_id')],
      ...saved('schedule', 'schedule_id'),
      activity_stream: ['activity_stream', about('schedule')],
    },
  ],
  workflow_jobs: [
    'workflow_job',
    {
      workflow_nodes: ['workflow_job_node', by('run_id')],
      labels: ['label', labelOfRun],
      // those of its approvals as well
      notifications: [
        'notification',
        (facts, flow, row) =>
          row.run_id === flow.id || facts.byId('workflow_approval', row.run_id)?.parent_id === flow.id,
      ],
      activity_stream: ['activity_stream', about('workflow_job')],
    },
  ],
  workflow_job_template_nodes: [
    'workflow_job_template_node',
    { ...following('workflow_job_template_node', 'workflow_node_links'), ...saved('workflow_node', 'node_id') },
  ],
  workflow_job_nodes: [
    'workflow_job_node',
    { ...following('workflow_job_node', 'workflow_job_node_links'), ...saved('workflow_job_node', 'node_id') },
  ],
  workflow_approvals: [
    'workflow_approval',
    {
      votes: ['workflow_approval_vote', by('run_id')],
      notifications: ['notification', by('run_id')],
      activity_stream: ['activity_stream', about('workflow_approval')],
    },
  ],
  workflow_approval_templates: [
    'workflow_approval_template',
    {
      approvals: ['workflow_approval', by('template_id')],
      activity_stream: ['activity_stream', about('workflow_approval_template')],
    },
  ],
  notification_templates: [
    'notification_template',
    {
      notifications: ['notification', by('notification_template_id')],
      activity_stream: ['activity_stream', about('notification_template')],
    },
  ],
  system_jobs: [
    'system_job',
    {
      events: ['system_job_event', by('run_id')],
      notifications: ['notification', by('run_id')],
      activity_stream: ['activity_stream', about('system_job')],
    },
  ],
  ad_hoc_commands: [
    'ad_hoc_command',
    {
      events: ['ad_hoc_command_event', by('run_id')],
      notifications: ['notification', by('run_id')],
      activity_stream: ['activity_stream', about('ad_hoc_command')],
    },
  ],
  job_events: [
    'job_event',
    { children: ['job_event', (_facts, event, row) => row.run_id === event.run_id && row.parent_uuid === event.uuid] },
  ],
};

/** Lists below a record, by their path below /api/v2/. */
export const sublists: Record<string, Sublist> = Object.fromEntries(
  Object.entries(below).flatMap(([path, [parent, lists]]) =>
    Object.entries(lists).map(([name, [type, tied, order]]) => [
      `${path}/:id/${name}/`,
      { parent, type, tied, inOrder: order },
    ]),
  ),
);
