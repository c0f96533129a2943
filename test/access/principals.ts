import { workflowRows } from '../workflows/rows.ts';
import type { Knex } from 'knex';
import type { RoleType } from '../../core/rbac/definitions.ts';
import { type World, world } from '../rbac/world.ts';
import { tokenFor } from '../support/rewindable.ts';
import { eventRows } from '../http/event-fixtures.ts';
import { gateRows } from '../http/gate-fixtures.ts';

/** Every object role there is of the types that have routes: a caller holds just that one, on the row of the matrix. */
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
} satisfies Partial<Record<RoleType, string[]>>;

export interface Stage {
  /** by type: the row that the paths and bodies of the matrix name */
  rows: Record<string, any>;
  ids: Record<string, number>;
  users: Record<string, any>;
  /** tokens by principal; `anonymous` has none */
  tokens: Record<string, string | undefined>;
  make: World;
}

/** Two organizations with one of everything, and a caller for each way of having rights. */
export async function setStage(db: Knex): Promise<Stage> {
  const make = world(db);
  const users: Record<string, any> = {};
  const tokens: Record<string, string | undefined> = { anonymous: undefined };
  const person = async (name: string, more: Record<string, unknown> = {}) => {
    const [user] = await db('users')
      .insert({ username: name, ...more })
      .returning('*');
    users[name] = user;
    tokens[name] = await tokenFor(db, user);
    return user;
  };
  users.superuser = await db('users').where({ is_superuser: true }).first();
  tokens.superuser = await tokenFor(db, users.superuser);
  tokens.readToken = await tokenFor(db, users.superuser, 'read');
  const self = await person('self');
  const creator = await person('creator');
  const rows = await records(make, db, { self, creator });

  await person('outsider');
  await person('auditor', { is_system_auditor: true });
  await make.give('organization', rows.organization, 'admin_role', await person('disabled', { is_active: false }));
  await make.give('organization', rows.elsewhere, 'admin_role', await person('otherAdmin'));
  for (const [type, fields] of Object.entries(objectRoles))
    for (const field of fields)
      await make.give(type as RoleType, rows[type], field, await person(`${type}.${field.replace('_role', '')}`));
  const operators = await make.team(rows.organization, { name: 'Operators' });
  await make.give('team', operators, 'member_role', await person('throughTeam'));
  await make.giveTeam('job_template', rows.job_template, 'execute_role', operators);
  await make.give('organization', rows.organization, 'member_role', self);
  await make.give('job_template', rows.job_template, 'read_role', creator);
  await make.give('project', rows.project, 'read_role', creator);
  const given = (table: string, where: object) => db(table).where(where).first();
  const membership = await make.roleId('organization', rows.organization, 'member_role');
  rows.role_user_assignment = await given('role_users', { role_id: membership, user_id: self.id });
  rows.role_team_assignment = await given('role_teams', { role_id: rows.role.id, team_id: operators.id });
  const ids = Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, row.id]));
  return { rows, ids, users, tokens, make };
}

type People = Record<'self' | 'creator', any>;

async function records(make: World, db: Knex, { self, creator }: People): Promise<Record<string, any>> {
  const insert = async (table: string, row: Record<string, unknown>) => (await db(table).insert(row).returning('*'))[0];
  const organization = await make.organization({ name: 'Ours' });
  const elsewhere = await make.organization({ name: 'Theirs' });
  const inventory = await make.inventory(organization, { name: 'inventory' });
  const project = await make.project(organization, {
    name: 'project',
    scm_type: 'git',
    scm_url: 'https://example.org/x.git',
    status: 'successful',
    playbook_files: '["site.yml"]',
  });
  const job_template = await make.jobTemplate(organization, {
    name: 'template',
    inventory_id: inventory.id,
    project_id: project.id,
    playbook: 'site.yml',
  });
  const host = await make.host(inventory);
  const group = await insert('groups', { name: 'web', inventory_id: inventory.id });
  await db('group_hosts').insert({ group_id: group.id, host_id: host.id });
  const credential = await make.credential(organization, { name: 'credential' });
  await db('credential_types')
    .where({ id: credential.credential_type_id })
    .update({
      inputs: JSON.stringify({ fields: ['token', 'linked', 'other'].map((id) => ({ id, label: id, type: 'string' })) }),
    });
  const external = await db('credential_types').where({ namespace: 'conjur' }).first();
  const source_credential = await make.credential(organization, { name: 'source', credential_type_id: external.id });
  const galaxy =
    (await db('credential_types').where({ kind: 'galaxy' }).first()) ??
    (await insert('credential_types', { name: 'Galaxy', kind: 'galaxy' }));
  const galaxy_credential = await make.credential(organization, { name: 'galaxy', credential_type_id: galaxy.id });
  const instance_group = await make.instanceGroup({ name: 'group' });
  const instance =
    (await db('instances').where({ node_type: 'hybrid' }).first()) ??
    (await insert('instances', { hostname: 'node', uuid: '0b6c1f0e-5a51-4f6e-9d4e-2b1f5c3d7a10' }));
  await db('instance_group_instances').insert({ instance_group_id: instance_group.id, instance_id: instance.id });
  const inventory_source = await insert('templates', {
    kind: 'inventory_source',
    name: 'source',
    name_scope: `inventory:${inventory.id}`,
    organization_id: organization.id,
    inventory_id: inventory.id,
    project_id: project.id,
    source: 'scm',
  });
  await db('hosts')
    .where({ id: host.id })
    .update({ source_ids: [inventory_source.id] });
  const started = await runs(db, {
    project,
    job_template,
    inventory_source,
    inventory,
    organization,
    host,
    instance,
    creator,
  });
  const role = await db('roles')
    .where({ content_type: 'job_template', object_id: job_template.id, role_field: 'execute_role' })
    .first();
  return {
    organization,
    elsewhere,
    user: self,
    team: await make.team(organization, { name: 'team' }),
    role,
    inventory,
    host,
    group,
    galaxy_credential,
    project,
    job_template,
    inventory_source,
    credential,
    source_credential,
    credential_input_source: await insert('credential_input_sources', {
      input_field_name: 'linked',
      target_credential_id: credential.id,
      source_credential_id: source_credential.id,
    }),
    credential_type: await insert('credential_types', { name: 'Unused', kind: 'cloud' }),
    instance_group,
    instance,
    execution_environment: await insert('execution_environments', {
      name: 'environment',
      image: 'example.org/engine:1',
      organization_id: organization.id,
    }),
    schedule: await insert('schedules', {
      name: 'schedule',
      rrule: 'DTSTART:20300101T000000Z RRULE:FREQ=DAILY;INTERVAL=1',
      unified_job_template_id: job_template.id,
    }),
    label: await insert('labels', { name: 'label', organization_id: organization.id }),
    ...(await notifications(insert, organization)),
    ...(await accounts(insert, organization, self)),
    ...started,
    ...(await eventRows(db, organization.id, started.job.id)),
    ...(await gateRows(db, {
      organization: organization.id,
      project: project.id,
      template: job_template.id,
      run: started.job.id,
    })),
    ...(await workflowRows(db, { organization, project, inventory, creator })),
    activity_stream: await activity(db, host, organization),
    role_definition: await insert('role_definitions', {
      name: 'custom',
      content_type: 'awx.inventory',
      record_type: 'inventory',
      permissions: '["awx.use_inventory", "awx.view_inventory"]',
      role_fields: ['use_role'],
    }),
    host_metric: await insert('host_metrics', { hostname: host.name }),
  };
}

type Insert = (table: string, row: Record<string, unknown>) => Promise<any>;

async function notifications(insert: Insert, organization: any) {
  const notification_template = await insert('notification_templates', {
    name: 'notification template',
    organization_id: organization.id,
    notification_type: 'msteams',
    notification_configuration: '{"msteams_url": "https://chat.example/key"}',
  });
  const notification = await insert('notifications', {
    notification_template_id: notification_template.id,
    notification_type: 'msteams',
    event: 'test',
    status: 'successful',
    subject: 'hello',
  });
  return { notification_template, notification };
}

async function accounts(insert: Insert, organization: any, self: any) {
  return {
    o_auth2_application: await insert('applications', {
      name: 'application',
      client_id: 'matrix',
      client_type: 'public',
      authorization_grant_type: 'password',
      organization_id: organization.id,
      created_by_id: self.id,
    }),
    o_auth2_access_token: await insert('tokens', { user_id: self.id, token_hash: 'x', expires: '2100-01-01' }),
  };
}

/** Ended runs with an event and a summary each. */
async function runs(
  db: Knex,
  { project, job_template, inventory_source, inventory, organization, host, instance, creator }: any,
) {
  const common = {
    status: 'successful',
    project_id: project.id,
    organization_id: organization.id,
    instance_id: instance.id,
    created_by_id: creator.id,
    finished: '2026-01-01',
  };
  const [job, project_update, inventory_update] = await db('runs')
    .insert([
      { kind: 'job', name: 'job', template_id: job_template.id, inventory_id: inventory.id, ...common },
      { kind: 'project_update', name: 'update', template_id: project.id, inventory_id: null, ...common },
      {
        kind: 'inventory_update',
        name: 'reading',
        template_id: inventory_source.id,
        inventory_id: inventory.id,
        data: '{"source":"scm"}',
        ...common,
      },
    ])
    .returning('*');
  const [ad_hoc_command] = await db('runs')
    .insert({
      ...common,
      kind: 'ad_hoc_command',
      name: 'ping',
      project_id: null,
      inventory_id: inventory.id,
      data: { module_name: 'ping', module_args: '' },
      prompts: { module_name: 'ping', inventory: inventory.id },
    })
    .returning('*');
  const system_job_template = await db('templates').where({ kind: 'system_job_template' }).first();
  const [system_job] = await db('runs')
    .insert({
      kind: 'system_job',
      name: 'cleanup',
      status: 'successful',
      template_id: system_job_template.id,
      job_type: 'cleanup_tokens',
      created_by_id: creator.id,
      finished: '2026-01-01',
    })
    .returning('*');
  for (const { id } of [job, project_update, inventory_update, ad_hoc_command, system_job]) {
    await db.raw('select ensure_event_partition(?)', [id]);
    const host_id = id === ad_hoc_command.id ? host.id : null;
    await db('run_events').insert({ run_id: id, host_id, counter: 1, event: 'playbook_on_start', stdout: 'PLAY' });
  }
  const [hook_trace] = await db('hook_traces')
    .insert({
      hook: 'afterFinish',
      plugin: 'p',
      tap: 't',
      run_id: job.id,
      result: 'ok',
      milliseconds: 1,
      attempt: 1,
      node: 'n',
    })
    .returning('*');
  const [constructed_inventory] = await db('inventories')
    .insert({ name: 'constructed', kind: 'constructed', organization_id: inventory.organization_id })
    .returning('*');
  const [federated_inventory] = await db('inventories')
    .insert({ name: 'federated', kind: 'federated', organization_id: inventory.organization_id })
    .returning('*');
  const [audit_event] = await db('audit_events')
    .insert({ action: 'login', organization_id: inventory.organization_id })
    .returning('*');
  const [job_host_summary] = await db('job_host_summaries')
    .insert({ run_id: job.id, host_id: host.id, host_name: host.name })
    .returning('*');
  return {
    job,
    project_update,
    ad_hoc_command,
    system_job_template,
    system_job,
    inventory_update,
    job_host_summary,
    hook_trace,
    audit_event,
    constructed_inventory,
    federated_inventory,
    job_event: { id: job.id * 2 ** 24 + 1 },
    project_update_event: { id: project_update.id * 2 ** 24 + 1 },
    system_job_event: { id: system_job.id * 2 ** 24 + 1 },
    ad_hoc_command_event: { id: ad_hoc_command.id * 2 ** 24 + 1 },
    inventory_update_event: { id: inventory_update.id * 2 ** 24 + 1 },
  };
}

/** An entry about a host: seen by those who see it, and by those who keep its organization. */
async function activity(db: Knex, host: any, organization: any): Promise<any> {
  const [entry] = await db('activity_stream')
    .insert({
      operation: 'update',
      object1: 'host',
      changes: '{}',
      organization_id: organization.id,
      action_node: 'node',
    })
    .returning('*');
  await db('activity_objects').insert({
    activity_id: entry.id,
    type: 'host',
    object_id: host.id,
    summary: JSON.stringify({ id: host.id, name: host.name }),
  });
  return entry;
}
