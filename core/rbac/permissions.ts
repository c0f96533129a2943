import type { Rule } from '@tapline/plugin-sdk';
import { type RoleSettings, administers, organizationKeeper, teamVisible, userVisible } from './people.ts';
import type { Doors } from './doors.ts';
import { labelVisible } from './label-rules.ts';
import { repeatsPrompts } from './repeat-prompts.ts';
import { parent, role } from './role-rules.ts';
import { roleVisible } from './role-visibility.ts';
import { type CoreRule, allOf, anyOf, auditor, authenticated, columnIs, not, owner, superuser, via } from './rules.ts';

/**
 * Who may do what to the records of core (contract A §7): the access of each descriptor and the capabilities shown to
 * clients come from here, so they cannot differ. Rules on create look at the validated input.
 */
export interface Permissions {
  see: Rule;
  create?: Rule;
  change?: Rule;
  delete?: Rule;
  /** further rights, by the name of their capability or action */
  [action: string]: Rule | undefined;
}

const of = (field: string) => parent('organization_id', 'organization', field);
const both = (column: string, field: string) => parent(column, 'inventory', field);

const inventory = {
  see: role('inventory', 'read_role'),
  create: of('inventory_admin_role'),
  change: role('inventory', 'admin_role'),
  delete: role('inventory', 'admin_role'),
  adhoc: role('inventory', 'adhoc_role'),
  update: role('inventory', 'update_role'),
  copy: allOf(role('inventory', 'read_role'), of('inventory_admin_role')),
} satisfies Permissions;

const inventoryPart = {
  see: both('inventory_id', 'read_role'),
  create: both('inventory_id', 'admin_role'),
  change: both('inventory_id', 'admin_role'),
  delete: both('inventory_id', 'admin_role'),
  copy: both('inventory_id', 'admin_role'),
} satisfies Permissions;

const project = {
  see: role('project', 'read_role'),
  create: allOf(of('project_admin_role'), parent('credential_id', 'credential', 'use_role', { alsoEmpty: true })),
  change: role('project', 'admin_role'),
  delete: role('project', 'admin_role'),
  update: role('project', 'update_role'),
  start: allOf(role('project', 'update_role'), not(columnIs('scm_type', ''))),
  copy: allOf(
    role('project', 'read_role'),
    of('project_admin_role'),
    parent('credential_id', 'credential', 'use_role', { alsoEmpty: true }),
    not(columnIs('scm_type', '')),
  ),
} satisfies Permissions;

const uses = allOf(
  parent('project_id', 'project', 'use_role'),
  parent('inventory_id', 'inventory', 'use_role', { alsoEmpty: true }),
);
const runnable = allOf(
  not(columnIs('project_id', null)),
  anyOf(not(columnIs('inventory_id', null)), columnIs('ask_inventory_on_launch', true)),
);

/** Every credential of a copied template must be usable by whoever copies it. */
const usesCredentials: CoreRule = {
  name: 'use_role on every credential of the template',
  row: async (actor, row, db) => {
    if (actor?.is_superuser) return true;
    const links = await db('template_credentials').where('template_id', row.id).select('credential_id');
    for (const link of links)
      if (!(await parent('credential_id', 'credential', 'use_role').row(actor, link, db))) return false;
    return actor !== null;
  },
  query: (actor, builder, alias) =>
    void builder.whereNotExists((inner: any) => {
      inner
        .select(inner.client.raw('1'))
        .from(`template_credentials as ${alias}_c`)
        .whereRaw('??.template_id = ??.id', [`${alias}_c`, alias]);
      not(parent('credential_id', 'credential', 'use_role')).query(actor, inner, `${alias}_c`);
    }),
};

const jobTemplate = {
  see: role('job_template', 'read_role'),
  create: uses,
  change: role('job_template', 'admin_role'),
  delete: role('job_template', 'admin_role'),
  start: allOf(role('job_template', 'execute_role'), runnable),
  execute: role('job_template', 'execute_role'),
  copy: allOf(role('job_template', 'read_role'), uses, runnable, usesCredentials),
} satisfies Permissions;

/** A change of nothing but these asks for no more than the admin role; any other one for use of what the template names as well. */
export const harmlessTemplateFields: ReadonlySet<string> = new Set([
  'name',
  'description',
  'forks',
  'limit',
  'verbosity',
  'extra_vars',
  'job_tags',
  'skip_tags',
  'force_handlers',
  'survey_enabled',
  'diff_mode',
  'timeout',
  'job_slice_count',
  'ask_diff_mode_on_launch',
  'ask_variables_on_launch',
  'ask_limit_on_launch',
  'ask_tags_on_launch',
  'ask_skip_tags_on_launch',
  'ask_job_type_on_launch',
  'ask_verbosity_on_launch',
  'ask_inventory_on_launch',
  'ask_credential_on_launch',
  'ask_scm_branch_on_launch',
  'ask_execution_environment_on_launch',
  'ask_labels_on_launch',
  'ask_forks_on_launch',
  'ask_job_slice_count_on_launch',
  'ask_timeout_on_launch',
  'ask_instance_groups_on_launch',
]);

/** What a write needs besides the right to change the record: roles on what it names, before and after. */
export const inventoryLinks = [['organization_id', 'organization', 'inventory_admin_role']] as const;
export const projectLinks = [
  ['organization_id', 'organization', 'project_admin_role'],
  ['credential_id', 'credential', 'use_role'],
] as const;
export const applicationLinks = [['organization_id', 'organization', 'admin_role']] as const;
export const labelLinks = [['organization_id', 'organization', 'admin_role']] as const;
export const credentialLinks = [['organization_id', 'organization', 'credential_admin_role']] as const;

const orphanJob = (field: string) => allOf(columnIs('template_id', null), of(field));
const relaunch = anyOf(superuser, parent('template_id', 'job_template', 'execute_role'), orphanJob('execute_role'));
const job = {
  see: anyOf(parent('template_id', 'job_template', 'read_role'), organizationKeeper()),
  delete: of('admin_role'),
  cancel: anyOf(
    superuser,
    owner('created_by_id'),
    parent('template_id', 'job_template', 'admin_role'),
    orphanJob('job_template_admin_role'),
  ),
  relaunch,
  /** what a relaunch needs besides the right: a job that has lost it answers 400 */
  start: allOf(
    relaunch,
    not(columnIs('project_id', null)),
    not(columnIs('inventory_id', null)),
    // without its template it is repeated as it was
    anyOf(columnIs('template_id', null), repeatsPrompts),
  ),
} satisfies Permissions;

const projectUpdate = {
  see: parent('template_id', 'project', 'read_role'),
  delete: parent('template_id', 'project', 'admin_role'),
  cancel: anyOf(owner('created_by_id'), parent('template_id', 'project', 'admin_role')),
  start: parent('template_id', 'project', 'update_role'),
} satisfies Permissions;

const ofKind = (kind: string, rule: Rule) => allOf(columnIs('kind', kind), rule);
type Visible = (type: string, see: Rule) => Rule;
const anyRun = (visible: Visible) =>
  anyOf(visible('job', ofKind('job', job.see)), visible('project_update', ofKind('project_update', projectUpdate.see)));
const anyTemplate = (visible: Visible) =>
  anyOf(
    ofKind('job_template', visible('job_template', jobTemplate.see)),
    ofKind('project', visible('project', project.see)),
    ofKind('workflow_job_template', visible('workflow_job_template', role('workflow_job_template', 'read_role'))),
  );

const groupKeeper = allOf(role('instance_group', 'admin_role'));

const application = {
  see: anyOf(auditor, of('member_role')),
  create: of('admin_role'),
  change: of('admin_role'),
  delete: of('admin_role'),
} satisfies Permissions;

/** What is seen through another record follows the restrictions on that one. */
const fixed = (visible: Visible) =>
  ({
    organization: {
      see: role('organization', 'read_role'),
      create: superuser,
      change: role('organization', 'admin_role'),
      delete: role('organization', 'admin_role'),
    },
    inventory,
    host: inventoryPart,
    group: inventoryPart,
    project,
    job_template: jobTemplate,
    job,
    project_update: projectUpdate,
    unified_job: { see: anyRun(visible) },
    unified_job_template: { see: anyTemplate(visible) },
    job_event: { see: via('run_id', 'runs', visible('job', ofKind('job', job.see))) },
    project_update_event: {
      see: via('run_id', 'runs', visible('project_update', ofKind('project_update', projectUpdate.see))),
    },
    job_host_summary: {
      see: anyOf(
        via('run_id', 'runs', visible('job', ofKind('job', job.see))),
        via('host_id', 'hosts', visible('host', inventoryPart.see)),
      ),
    },
    credential_type: {
      see: authenticated,
      create: superuser,
      change: allOf(superuser, columnIs('managed', false)),
      delete: allOf(superuser, columnIs('managed', false)),
    },
    instance_group: {
      see: role('instance_group', 'read_role'),
      create: superuser,
      change: groupKeeper,
      delete: allOf(superuser, not(columnIs('name', 'default')), not(columnIs('name', 'controlplane'))),
      use: role('instance_group', 'use_role'),
    },
    instance: { see: anyOf(auditor, instanceOfVisibleGroup()), change: superuser },
    o_auth2_application: application,
    label: {
      see: labelVisible(ofKind('job_template', visible('job_template', jobTemplate.see))),
      create: of('member_role'),
      change: of('admin_role'),
    },
    role: { see: roleVisible },
  }) satisfies Record<string, Permissions>;

function instanceOfVisibleGroup(): CoreRule {
  const group = parent('instance_group_id', 'instance_group', 'read_role');
  return {
    name: 'member of a visible instance group',
    row: async (actor, row, db) => {
      for (const link of await db('instance_group_instances').where('instance_id', row.id))
        if (await group.row(actor, link, db)) return true;
      return false;
    },
    query: (actor, builder, alias) =>
      void builder.whereIn(`${alias}.id`, (inner: any) => {
        inner.select(`${alias}_g.instance_id`).from(`instance_group_instances as ${alias}_g`);
        group.query(actor, inner, `${alias}_g`);
      }),
  };
}

/** The table of rights; rules about people and teams follow the settings as they stand when asked. */
export function createPermissions({ settings, doors }: { settings: RoleSettings; doors?: Pick<Doors, 'visible'> }) {
  const core = fixed(doors?.visible ?? ((_type, see) => see));
  const managing: Rule = {
    name: 'MANAGE_ORGANIZATION_AUTH, or superuser',
    row: (actor) => actor !== null && (actor.is_superuser || settings.get('MANAGE_ORGANIZATION_AUTH')),
    query: (actor, builder) =>
      void (actor !== null && (actor.is_superuser || settings.get('MANAGE_ORGANIZATION_AUTH'))
        ? builder
        : builder.whereRaw('false')),
  };
  const user = administers(settings);
  const team = allOf(managing, role('team', 'admin_role'));
  const credential = {
    see: role('credential', 'read_role'),
    // exactly one of them is given, which the validation sees to
    create: anyOf(
      superuser,
      owner('user_id'),
      of('credential_admin_role'),
      via('user_id', 'users', user),
      allOf(managing, parent('team', 'team', 'admin_role')),
    ),
    change: allOf(role('credential', 'admin_role'), columnIs('managed', false)),
    delete: allOf(role('credential', 'admin_role'), columnIs('managed', false)),
    use: role('credential', 'use_role'),
    copy: allOf(role('credential', 'use_role'), anyOf(superuser, owner('user_id'), of('credential_admin_role'))),
  } satisfies Permissions;
  return {
    ...core,
    organization: { ...core.organization, members: allOf(managing, role('organization', 'admin_role')) },
    credential,
    user: {
      see: userVisible(settings),
      create: superuser,
      change: allOf(managing, anyOf(superuser, owner('id'), user)),
      delete: allOf(administers(settings, { orphans: true }), not(owner('id'))),
      /** also what ordinary users may not change of themselves */
      administer: user,
    },
    team: { see: teamVisible(settings), create: allOf(managing, of('admin_role')), change: team, delete: team },
  } satisfies Record<string, Permissions>;
}

export type CorePermissions = ReturnType<typeof createPermissions>;
