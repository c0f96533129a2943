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
  'instance_groups/': 'instance_group',
  'labels/': 'label',
  'instances/': 'instance',
  'inventories/': 'inventory',
  'hosts/': 'host',
  'groups/': 'group',
  'credential_types/': 'credential_type',
  'credentials/': 'credential',
  'projects/': 'project',
  'project_updates/': 'project_update',
  'job_templates/': 'job_template',
  'jobs/': 'job',
  'unified_jobs/': 'unified_job',
  'unified_job_templates/': 'unified_job_template',
  'activity_stream/': 'activity_stream',
  'hooks/traces/': 'hook_trace',
};

/** Lists, or what looks like one, that tell of no rows which some see and others do not. */
export const elsewhere: Record<string, string> = {
  'hooks/': 'taps of plugins, for superusers and auditors: the matrix asks who may',
  'plugins/': 'the plugins that are on, for superusers and auditors: the matrix asks who may',
  'recommendations/': 'advice that is the same for everybody: the tests of that plugin',
  'me/': 'the caller alone: asked here with the lists',
  'navigation/': 'entries of menus, by the flags of the caller: the tests of plugins',
  'settings/': 'categories of settings: the matrix asks who may',
  'inventories/:id/tree/': 'the groups of an inventory that the caller sees, all of which it sees as well',
  'projects/:id/playbooks/': 'names of files in the checkout of a project that the caller sees',
  'projects/:id/inventories/': 'names of files in the checkout of a project that the caller sees',
  'workflow_job_templates/': 'there are none yet: asked here to be empty',
  'notification_templates/': 'there are none yet: asked here to be empty',
  'inventory_sources/': 'there are none yet: asked here to be empty',
  'execution_environments/': 'there are none yet: asked here to be empty',
  'schedules/': 'there are none yet: asked here to be empty',
  'system_job_templates/': 'there are none yet: asked here to be empty',
};

/** Rows that are in no list of their type, whoever asks. */
export const unlisted = (type: string, row: any): boolean =>
  (['job', 'project_update', 'unified_job'].includes(type) && row.status === 'new') ||
  (type === 'unified_job_template' && row.kind === 'workflow_job_template');

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

const below: Record<string, [parent: string, lists: Record<string, [type: string, tied: Tied, inOrder?: Link]>]> = {
  organizations: [
    'organization',
    {
      ...ofRecord('organization'),
      users: ['user', member('organization', 'member_role')],
      admins: ['user', member('organization', 'admin_role')],
      teams: ['team', by('organization_id')],
      inventories: ['inventory', by('organization_id')],
      projects: ['project', by('organization_id')],
      job_templates: ['job_template', by('organization_id')],
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
      hosts: ['host', by('inventory_id')],
      groups: ['group', by('inventory_id')],
      root_groups: [
        'group',
        (facts, inventory, row) =>
          row.inventory_id === inventory.id && !facts.links('group_children', 'child_id', row.id).length,
      ],
      instance_groups: instanceGroups('inventory'),
      labels: ['label', linked(['inventory_labels', 'inventory_id', 'label_id'])],
    },
  ],
  hosts: [
    'host',
    {
      job_events: ['job_event', by('host_id')],
      job_host_summaries: ['job_host_summary', by('host_id')],
      groups: ['group', linked(['group_hosts', 'host_id', 'group_id'])],
      all_groups: [
        'group',
        (facts, host, row) => {
          const direct = facts.links('group_hosts', 'host_id', host.id).map(({ group_id }) => group_id);
          return closure(facts, direct, 'child_id', 'parent_id').has(row.id);
        },
      ],
      activity_stream: ['activity_stream', about('host')],
    },
  ],
  groups: [
    'group',
    {
      job_events: ['job_event', ofGroup],
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
    },
  ],
  projects: [
    'project',
    {
      ...ofRecord('project'),
      teams: ['team', (facts, project, team) => teamHas(facts, team.id, 'project', project.id)],
      project_updates: ['project_update', by('template_id')],
    },
  ],
  project_updates: ['project_update', { events: ['project_update_event', by('run_id')] }],
  job_templates: [
    'job_template',
    {
      ...ofRecord('job_template'),
      jobs: ['job', by('template_id')],
      credentials: ['credential', linked(['template_credentials', 'template_id', 'credential_id'])],
      instance_groups: instanceGroups('template'),
      labels: ['label', linked(['template_labels', 'template_id', 'label_id'])],
    },
  ],
  jobs: [
    'job',
    {
      job_events: ['job_event', by('run_id')],
      job_host_summaries: ['job_host_summary', by('run_id')],
      credentials: ['credential', linked(['run_credentials', 'run_id', 'credential_id'])],
      labels: ['label', (_facts, job, label) => (job.label_ids ?? []).map(Number).includes(label.id)],
      activity_stream: ['activity_stream', about('job')],
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
