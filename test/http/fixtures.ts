import type { TestService } from '../support/service.ts';
import { workflowRows } from '../workflows/rows.ts';
import { eventBodies, eventRows } from './event-fixtures.ts';
import { gateBodies, gateRows } from './gate-fixtures.ts';

export interface Fixtures {
  /** an existing row per type */
  ids: Record<string, number>;
  /** by `METHOD path`: a body with which that write succeeds, a fresh one each time */
  bodies: Record<string, () => unknown>;
}

let made = 0;
const fresh = (what: string) => `${what} ${++made}`;

const notificationTemplate = () => ({
  name: fresh('Notification'),
  notification_type: 'msteams',
  notification_configuration: { msteams_url: 'https://chat.example/key' },
});

/** One object of every type, made through the API where it can be; add your resource here. */
export async function createFixtures(service: TestService): Promise<Fixtures> {
  const { db } = service.services;
  const ids: Record<string, number> = {};
  const create = async (type: string, path: string, body: unknown) => {
    const answer = await service.post(`/api/v2/${path}/`, body);
    if (answer.status !== 201)
      throw new Error(`the fixture of ${type} was refused with ${answer.status}: ${JSON.stringify(answer.body)}`);
    ids[type] = answer.body.id;
  };
  await create('organization', 'organizations', { name: fresh('Organization') });
  await create('team', 'teams', { name: fresh('Team'), organization: ids.organization });
  await create('label', 'labels', { name: fresh('Label'), organization: ids.organization });
  await create('instance_group', 'instance_groups', { name: fresh('Group') });
  ids.role = (await db('roles').where({ content_type: 'team', object_id: ids.team }).first('id')).id;
  await create('user', 'users', { username: `fixture${++made}`, password: 'long enough 1' });
  await create('o_auth2_access_token', 'tokens', {});
  const application = { client_type: 'confidential', authorization_grant_type: 'password' };
  await create('o_auth2_application', 'applications', {
    ...application,
    name: fresh('Application'),
    organization: ids.organization,
  });
  await create('inventory', 'inventories', { name: fresh('Inventory'), organization: ids.organization });
  await create('constructed_inventory', 'constructed_inventories', {
    name: fresh('Constructed'),
    organization: ids.organization,
  });
  await create('federated_inventory', 'federated_inventories', {
    name: fresh('Federated'),
    organization: ids.organization,
  });
  await create('host', 'hosts', { name: fresh('fixture').replace(' ', '-'), inventory: ids.inventory });
  await create('host_to_delete', 'hosts', { name: fresh('spare').replace(' ', '-'), inventory: ids.inventory });
  await create('group', 'groups', { name: fresh('fixture-group').replace(' ', '-'), inventory: ids.inventory });
  await create('credential_type', 'credential_types', {
    name: fresh('Type'),
    kind: 'cloud',
    inputs: { fields: ['token', 'linked', 'other'].map((id) => ({ id, label: id })) },
  });
  await create('credential', 'credentials', {
    name: fresh('Credential'),
    organization: ids.organization,
    credential_type: ids.credential_type,
  });
  const galaxy =
    (await db('credential_types').where({ kind: 'galaxy' }).first('id')) ??
    (await db('credential_types').insert({ name: 'Galaxy', kind: 'galaxy' }).returning('id'))[0];
  await create('galaxy_credential', 'credentials', {
    name: fresh('Galaxy'),
    organization: ids.organization,
    credential_type: galaxy.id,
  });
  await create('execution_environment', 'execution_environments', {
    name: fresh('Environment'),
    image: 'example.org/engine:1',
    organization: ids.organization,
  });
  await create('notification_template', 'notification_templates', {
    ...notificationTemplate(),
    organization: ids.organization,
  });
  const [notification] = await db('notifications')
    .insert({
      notification_template_id: ids.notification_template,
      notification_type: 'msteams',
      event: 'test',
      status: 'successful',
      subject: 'hello',
    })
    .returning('id');
  ids.notification = notification.id;
  const machine = await db('credential_types').where({ namespace: 'ssh' }).first('id');
  await create('machine_credential', 'credentials', {
    name: fresh('Machine'),
    organization: ids.organization,
    credential_type: machine.id,
    inputs: { username: 'me' },
  });
  const external = await db('credential_types').where({ namespace: 'conjur' }).first('id');
  await create('source_credential', 'credentials', {
    name: fresh('Source'),
    organization: ids.organization,
    credential_type: external.id,
  });
  await create('credential_input_source', 'credential_input_sources', {
    input_field_name: 'linked',
    target_credential: ids.credential,
    source_credential: ids.source_credential,
  });
  const [project] = await db('templates')
    .insert({
      kind: 'project',
      name: fresh('Project'),
      scm_type: 'git',
      scm_url: 'https://git.example/x.git',
      organization_id: ids.organization,
      playbook_files: '["site.yml"]',
      status: 'successful',
    })
    .returning('id');
  ids.project = project.id;
  const [template] = await db('templates')
    .insert({
      kind: 'job_template',
      name: fresh('Template'),
      organization_id: ids.organization,
      project_id: ids.project,
      inventory_id: ids.inventory,
      playbook: 'site.yml',
    })
    .returning('id');
  ids.job_template = template.id;
  const [source] = await db('templates')
    .insert({
      kind: 'inventory_source',
      name: fresh('Source'),
      name_scope: `inventory:${ids.inventory}`,
      organization_id: ids.organization,
      project_id: ids.project,
      inventory_id: ids.inventory,
      source: 'scm',
    })
    .returning('id');
  ids.inventory_source = source.id;
  const [asking] = await db('templates')
    .insert({
      kind: 'job_template',
      name: fresh('Asking'),
      organization_id: ids.organization,
      project_id: ids.project,
      inventory_id: ids.inventory,
      playbook: 'site.yml',
      ask_credential_on_launch: true,
      ask_labels_on_launch: true,
      ask_instance_groups_on_launch: true,
    })
    .returning('id');
  await create('schedule', 'schedules', { name: fresh('Schedule'), rrule, unified_job_template: asking.id });
  const runs = await db('runs')
    .insert(
      [
        ['job', ids.job_template],
        ['project_update', ids.project],
        ['inventory_update', ids.inventory_source],
      ].map(([kind, template]) => ({
        kind,
        name: kind,
        status: 'successful',
        template_id: template,
        data: kind === 'inventory_update' ? '{"source":"scm"}' : '{}',
        project_id: ids.project,
        inventory_id: ids.inventory,
        organization_id: ids.organization,
        finished: '2026-01-01',
      })),
    )
    .returning(['id', 'kind']);
  const [command] = await db('runs')
    .insert({
      kind: 'ad_hoc_command',
      name: 'ping',
      status: 'successful',
      inventory_id: ids.inventory,
      organization_id: ids.organization,
      credential_id: ids.machine_credential,
      finished: '2026-01-01',
      data: { module_name: 'ping', module_args: '' },
      prompts: { module_name: 'ping', inventory: ids.inventory },
    })
    .returning(['id', 'kind']);
  ids.system_job_template = (await db('templates').where({ kind: 'system_job_template' }).first('id')).id;
  const [cleanup] = await db('runs')
    .insert({
      kind: 'system_job',
      name: 'cleanup',
      status: 'successful',
      template_id: ids.system_job_template,
      job_type: 'cleanup_tokens',
      finished: '2026-01-01',
    })
    .returning(['id', 'kind']);
  for (const { id, kind } of [...runs, command, cleanup]) {
    ids[kind] = id;
    await db.raw('select ensure_event_partition(?)', [id]);
    await db('run_events').insert({ run_id: id, counter: 1, event: 'playbook_on_start', stdout: 'PLAY' });
    ids[`${kind}_event`] = id * 2 ** 24 + 1;
  }
  const [summary] = await db('job_host_summaries')
    .insert({ run_id: ids.job, host_id: ids.host, host_name: 'fixture-host' })
    .returning('id');
  ids.job_host_summary = summary.id;
  const instance =
    (await db('instances').where({ node_type: 'hybrid' }).first('id')) ??
    (
      await db('instances')
        .insert({ hostname: 'fixture', uuid: '0b6c1f0e-5a51-4f6e-9d4e-2b1f5c3d7a10' })
        .returning('id')
    )[0];
  ids.instance = instance.id;
  const trace = { hook: 'afterFinish', plugin: 'fixture', tap: 'note', run_id: ids.job, result: 'ok' };
  const [traced] = await db('hook_traces')
    .insert({ ...trace, milliseconds: 1, attempt: 1, node: 'fixture' })
    .returning('id');
  ids.hook_trace = traced.id;
  ids.audit_event = (await db('audit_events').insert({ action: 'fixture' }).returning('id'))[0].id;
  const permissions = ['awx.view_inventory', 'awx.use_inventory'];
  await create('role_definition', 'role_definitions', {
    name: fresh('Definition'),
    content_type: 'awx.inventory',
    permissions,
  });
  for (const holder of ['user', 'team'])
    await create(`role_${holder}_assignment`, `role_${holder}_assignments`, {
      role_definition: ids.role_definition,
      object_id: ids.inventory,
      [holder]: ids[holder],
    });
  ids.host_metric = (
    await db('host_metrics')
      .insert({ hostname: fresh('host') })
      .returning('id')
  )[0].id;
  const named = (id: number | undefined) => ({ id: id! });
  const rows = await workflowRows(db, {
    organization: named(ids.organization),
    project: named(ids.project),
    inventory: named(ids.inventory),
  });
  // of plugins, where they are on
  const has = async (table: string) => (await db.raw('select to_regclass(?) as found', [table])).rows[0].found !== null;
  const events = (await has('plugin_eda.event_rules')) && (await eventRows(db, ids.organization!, ids.job!));
  const launched = {
    organization: ids.organization!,
    project: ids.project!,
    template: ids.job_template!,
    run: ids.job!,
  };
  const gates = (await has('plugin_policy.policies')) && (await gateRows(db, launched));
  for (const [type, { id }] of Object.entries({ ...rows, ...events, ...gates })) ids[type] = id;
  ids.activity_stream ??= (await db('activity_stream').first('id')).id;
  return { ids, bodies: bodies(ids) };
}

const rrule = 'DTSTART:20300101T000000Z RRULE:FREQ=DAILY;INTERVAL=1';

export const bodies = (ids: Record<string, number>): Fixtures['bodies'] => ({
  'POST /api/v2/schedules/': () => ({ name: fresh('Schedule'), rrule, unified_job_template: ids.job_template }),
  'POST /api/v2/schedules/preview/': () => ({ rrule }),
  'POST /api/v2/schedules/:id/credentials/': () => ({ id: ids.credential }),
  'POST /api/v2/schedules/:id/labels/': () => ({ id: ids.label }),
  'POST /api/v2/schedules/:id/instance_groups/': () => ({ id: ids.instance_group }),
  'POST /api/v2/job_templates/:id/schedules/': () => ({ name: fresh('Schedule'), rrule }),
  'POST /api/v2/projects/:id/schedules/': () => ({ name: fresh('Schedule'), rrule }),
  'POST /api/v2/inventory_sources/:id/schedules/': () => ({ name: fresh('Schedule'), rrule }),
  'POST /api/v2/system_job_templates/:id/schedules/': () => ({ name: fresh('Schedule'), rrule }),
  'POST /api/v2/workflow_job_templates/:id/schedules/': () => ({ name: fresh('Schedule'), rrule }),
  'POST /api/v2/jobs/:id/create_schedule/': () => ({}),
  'POST /api/v2/organizations/': () => ({ name: fresh('Organization') }),
  'POST /api/v2/teams/': () => ({ name: fresh('Team'), organization: ids.organization }),
  'POST /api/v2/organizations/:id/teams/': () => ({ name: fresh('Team') }),
  'POST /api/v2/labels/': () => ({ name: fresh('Label'), organization: ids.organization }),
  'POST /api/v2/inventories/:id/labels/': () => ({ id: ids.label }),
  'POST /api/v2/job_templates/:id/labels/': () => ({ id: ids.label }),
  'POST /api/v2/constructed_inventories/': () => ({ name: fresh('Constructed'), organization: ids.organization }),
  'POST /api/v2/federated_inventories/': () => ({ name: fresh('Federated'), organization: ids.organization }),
  'POST /api/v2/plugin_switches/': () => ({ name: 'drift', enabled: true }),
  'POST /api/v2/bulk/host_create/': () => ({
    inventory: ids.inventory,
    hosts: [{ name: fresh('bulk').replace(' ', '-') }, { name: fresh('bulk').replace(' ', '-') }],
  }),
  'POST /api/v2/bulk/job_launch/': () => ({
    organization: ids.organization,
    jobs: [{ unified_job_template: ids.job_template }],
  }),
  'POST /api/v2/bulk/host_delete/': () => ({ hosts: [ids.host_to_delete ?? ids.host] }),
  'POST /api/v2/instance_groups/': () => ({ name: fresh('Group') }),
  'POST /api/v2/instance_groups/:id/instances/': () => ({ id: ids.instance }),
  'POST /api/v2/role_definitions/': () => ({
    name: fresh('Definition'),
    content_type: 'awx.jobtemplate',
    permissions: ['awx.view_jobtemplate', 'awx.execute_jobtemplate'],
  }),
  'POST /api/v2/role_user_assignments/': () => ({
    role_definition: ids.role_definition,
    object_id: ids.inventory,
    user: ids.user,
  }),
  'POST /api/v2/role_team_assignments/': () => ({
    role_definition: ids.role_definition,
    object_id: ids.inventory,
    team: ids.team,
  }),
  'POST /api/v2/roles/:id/users/': () => ({ id: ids.user }),
  'POST /api/v2/users/:id/roles/': () => ({ id: ids.role }),
  'POST /api/v2/organizations/:id/users/': () => ({ id: ids.user }),
  'POST /api/v2/organizations/:id/admins/': () => ({ id: ids.user }),
  'POST /api/v2/teams/:id/users/': () => ({ id: ids.user }),
  'POST /api/v2/users/': () => ({ username: `user${++made}`, password: 'long enough 1' }),
  'POST /api/v2/tokens/': () => ({ description: 'a token' }),
  'POST /api/v2/users/:id/tokens/': () => ({}),
  'POST /api/v2/users/:id/personal_tokens/': () => ({}),
  'POST /api/v2/users/:id/authorized_tokens/': () => ({ application: ids.o_auth2_application }),
  'POST /api/v2/applications/:id/tokens/': () => ({}),
  'POST /api/v2/applications/': () => ({
    name: fresh('Application'),
    organization: ids.organization,
    client_type: 'public',
    authorization_grant_type: 'password',
  }),
  'POST /api/v2/organizations/:id/applications/': () => ({
    name: fresh('Application'),
    client_type: 'public',
    authorization_grant_type: 'password',
  }),
  'POST /api/v2/inventories/': () => ({ name: fresh('Inventory'), organization: ids.organization }),
  'POST /api/v2/hosts/': () => ({ name: fresh('host').replace(' ', '-'), inventory: ids.inventory }),
  'POST /api/v2/groups/': () => ({ name: fresh('group').replace(' ', '-'), inventory: ids.inventory }),
  'POST /api/v2/groups/:id/hosts/': () => ({ id: ids.host }),
  'POST /api/v2/hosts/:id/groups/': () => ({ id: ids.group }),
  'POST /api/v2/inventories/:id/hosts/': () => ({ name: fresh('host').replace(' ', '-') }),
  'POST /api/v2/inventories/:id/groups/': () => ({ name: fresh('group').replace(' ', '-') }),
  'POST /api/v2/credential_types/': () => ({ name: fresh('Type'), kind: 'net' }),
  'POST /api/v2/credentials/': () => ({
    name: fresh('Credential'),
    organization: ids.organization,
    credential_type: ids.credential_type,
  }),
  'POST /api/v2/credential_input_sources/': () => ({
    input_field_name: 'token',
    target_credential: ids.credential,
    source_credential: ids.source_credential,
  }),
  'POST /api/v2/credentials/:id/input_sources/': () => ({
    input_field_name: 'other',
    source_credential: ids.source_credential,
  }),
  'POST /api/v2/organizations/:id/credentials/': () => ({
    name: fresh('Credential'),
    credential_type: ids.credential_type,
  }),
  'POST /api/v2/projects/': () => ({
    name: fresh('Project'),
    organization: ids.organization,
    scm_type: 'git',
    scm_url: 'https://git.example/x.git',
  }),
  'POST /api/v2/job_templates/': () => ({
    name: fresh('Template'),
    project: ids.project,
    inventory: ids.inventory,
    playbook: 'site.yml',
  }),
  'POST /api/v2/organizations/:id/job_templates/': () => ({
    name: fresh('Template'),
    project: ids.project,
    inventory: ids.inventory,
    playbook: 'site.yml',
  }),
  'POST /api/v2/job_templates/:id/credentials/': () => ({ id: ids.credential }),
  'POST /api/v2/organizations/:id/galaxy_credentials/': () => ({ id: ids.galaxy_credential }),
  'POST /api/v2/organizations/:id/instance_groups/': () => ({ id: ids.instance_group }),
  'POST /api/v2/inventories/:id/instance_groups/': () => ({ id: ids.instance_group }),
  'POST /api/v2/job_templates/:id/instance_groups/': () => ({ id: ids.instance_group }),
  'POST /api/v2/instances/': () => ({ hostname: fresh('node') }),
  'POST /api/v2/instances/:id/instance_groups/': () => ({ id: ids.instance_group }),
  'POST /api/v2/instances/:id/health_check/': () => ({}),
  'POST /api/v2/job_templates/:id/launch/': () => ({}),
  'POST /api/v2/job_templates/:id/survey_spec/': () => surveyBody(),
  'POST /api/v2/job_templates/:id/webhook_key/': () => ({}),
  'POST /api/v2/projects/:id/webhook_key/': () => ({}),
  'POST /api/v2/job_templates/:id/copy/': () => ({ name: fresh('Copy') }),
  'POST /api/v2/inventories/:id/copy/': () => ({ name: fresh('Copy') }),
  'POST /api/v2/projects/:id/copy/': () => ({ name: fresh('Copy') }),
  'POST /api/v2/credentials/:id/copy/': () => ({ name: fresh('Copy') }),
  'POST /api/v2/organizations/:id/projects/': () => ({
    name: fresh('Project'),
    scm_type: 'git',
    scm_url: 'https://git.example/x.git',
  }),
  'POST /api/v2/users/:id/credentials/': () => ({ name: fresh('Credential'), credential_type: ids.credential_type }),
  'POST /api/v2/teams/:id/credentials/': () => ({ name: fresh('Credential'), credential_type: ids.credential_type }),
  'POST /api/v2/credential_types/:id/credentials/': () => ({
    name: fresh('Credential'),
    organization: ids.organization,
  }),
  'POST /api/v2/inventories/:id/root_groups/': () => ({ name: fresh('group').replace(' ', '-') }),
  'POST /api/v2/groups/:id/children/': () => ({
    name: fresh('group').replace(' ', '-'),
    inventory: ids.inventory,
  }),
  'POST /api/v2/teams/:id/roles/': () => ({ id: ids.role }),
  'POST /api/v2/roles/:id/teams/': () => ({ id: ids.team }),
  'POST /api/v2/projects/:id/update/': () => ({}),
  'POST /api/v2/jobs/:id/relaunch/': () => ({}),
  'POST /api/v2/system_job_templates/:id/launch/': () => ({}),
  'POST /api/v2/notification_templates/': () => ({ ...notificationTemplate(), organization: ids.organization }),
  'POST /api/v2/organizations/:id/notification_templates/': notificationTemplate,
  'POST /api/v2/notification_templates/:id/copy/': () => ({ name: fresh('Copy') }),
  'POST /api/v2/notification_templates/:id/test/': () => ({}),
  'POST /api/v2/notifications/:id/redeliver/': () => ({}),
  ...Object.fromEntries(
    [
      'organizations',
      'projects',
      'job_templates',
      'inventory_sources',
      'system_job_templates',
      'workflow_job_templates',
    ]
      .flatMap((path) => ['started', 'success', 'error'].map((event) => [path, event]))
      .concat([
        ['organizations', 'approvals'],
        ['workflow_job_templates', 'approvals'],
      ])
      .map(([path, event]) => [
        `POST /api/v2/${path}/:id/notification_templates_${event}/`,
        () => ({ id: ids.notification_template }),
      ]),
  ),
  'POST /api/v2/execution_environments/': () => ({
    name: fresh('Environment'),
    image: 'engine',
    organization: ids.organization,
  }),
  'POST /api/v2/organizations/:id/execution_environments/': () => ({ name: fresh('Environment'), image: 'engine' }),
  'POST /api/v2/execution_environments/:id/copy/': () => ({ name: fresh('Copy') }),
  'POST /api/v2/ad_hoc_commands/': () => ({ module_name: 'ping', inventory: ids.inventory }),
  'POST /api/v2/ad_hoc_commands/:id/relaunch/': () => ({}),
  'POST /api/v2/inventories/:id/ad_hoc_commands/': () => ({ module_name: 'ping' }),
  'POST /api/v2/hosts/:id/ad_hoc_commands/': () => ({ module_name: 'ping' }),
  'POST /api/v2/groups/:id/ad_hoc_commands/': () => ({ module_name: 'ping' }),
  'POST /api/v2/inventory_sources/': () => ({
    name: fresh('Source'),
    inventory: ids.inventory,
    source: 'scm',
    source_project: ids.project,
  }),
  'POST /api/v2/inventories/:id/inventory_sources/': () => ({
    name: fresh('Source'),
    source: 'scm',
    source_project: ids.project,
  }),
  'POST /api/v2/inventories/:id/update_inventory_sources/': () => ({}),
  'POST /api/v2/inventory_sources/:id/update/': () => ({}),
  'POST /api/v2/inventory_sources/:id/preview/': () => ({}),
  'POST /api/v2/inventory_sources/:id/credentials/': () => ({ id: ids.credential }),
  'POST /api/v2/inventory_sources/:id/instance_groups/': () => ({ id: ids.instance_group }),
  ...workflowBodies(ids),
  ...eventBodies(ids),
  ...gateBodies(ids),
});

const surveyBody = () => ({
  name: fresh('Survey'),
  description: '',
  spec: [{ variable: 'a', question_name: 'A', type: 'text', required: false }],
});

const workflowBodies = (ids: Record<string, number>): Fixtures['bodies'] => ({
  'POST /api/v2/workflow_job_templates/': () => ({ name: fresh('Workflow'), organization: ids.organization }),
  'POST /api/v2/organizations/:id/workflow_job_templates/': () => ({ name: fresh('Workflow') }),
  'POST /api/v2/workflow_job_templates/:id/labels/': () => ({ id: ids.label }),
  'POST /api/v2/workflow_job_templates/:id/launch/': () => ({}),
  'POST /api/v2/workflow_job_templates/:id/survey_spec/': () => surveyBody(),
  'POST /api/v2/workflow_job_templates/:id/webhook_key/': () => ({}),
  'POST /api/v2/workflow_job_templates/:id/copy/': () => ({ name: fresh('Copy') }),
  'POST /api/v2/workflow_job_templates/:id/workflow_nodes/': () => ({ identifier: fresh('node') }),
  'POST /api/v2/workflow_job_template_nodes/': () => ({
    identifier: fresh('node'),
    workflow_job_template: ids.workflow_job_template,
  }),
  ...Object.fromEntries(
    ['success', 'failure', 'always', 'condition'].map((kind) => [
      `POST /api/v2/workflow_job_template_nodes/:id/${kind}_nodes/`,
      // two nodes have one link at most, so that others are made for the other kinds
      () => ({
        ...(kind === 'success' ? { id: ids.following_node } : { identifier: fresh('node') }),
        ...(kind === 'condition' ? { artifact_key: 'count' } : {}),
      }),
    ]),
  ),
  'POST /api/v2/workflow_job_template_nodes/:id/credentials/': () => ({ id: ids.machine_credential ?? ids.credential }),
  'POST /api/v2/workflow_job_template_nodes/:id/labels/': () => ({ id: ids.label }),
  'POST /api/v2/workflow_job_template_nodes/:id/instance_groups/': () => ({ id: ids.instance_group }),
  'POST /api/v2/workflow_job_template_nodes/:id/create_approval_template/': () => ({ name: fresh('Approval') }),
  'POST /api/v2/workflow_jobs/:id/relaunch/': () => ({}),
});
