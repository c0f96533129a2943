import { hashPassword } from '../../core/accounts/password.ts';
import { type Answer, type Api, type Client, basic, startApi } from '../support/api.ts';
import { type World, world } from '../rbac/world.ts';

export interface Principals {
  [name: string]: Client;
}

export interface AccessStage {
  api: Api;
  make: World;
  /** callers by the names of the matrix */
  as: Principals;
  users: Record<string, any>;
  ids: Record<string, number>;
  rows: Record<string, any>;
  stop: () => Promise<void>;
}

const password = 'a password of theirs';

/** Two organizations with one of everything, and a caller for each way of having rights. */
export async function openAccessStage(services: Record<string, unknown> = {}): Promise<AccessStage> {
  const api = await startApi({ LOGIN_ATTEMPTS_PER_MINUTE: '0' }, services);
  const { db } = api;
  const make = world(db);
  const hash = await hashPassword(password);
  const users: Record<string, any> = {};
  const as: Principals = { anonymous: api.as(), superuser: api.admin };
  const person = async (name: string, more: Record<string, unknown> = {}) => {
    [users[name]] = await db('users')
      .insert({ username: name, password: hash, ...more })
      .returning('*');
    as[name] = api.as(basic(name, password));
    return users[name];
  };
  const rows = await records(make, db);

  await person('outsider');
  await person('disabled', { is_active: false });
  await make.give('organization', rows.organization, 'admin_role', users.disabled);
  await person('auditor', { is_system_auditor: true });
  await make.give('organization', rows.organization, 'member_role', await person('member'));
  await make.give('organization', rows.organization, 'admin_role', await person('orgAdmin'));
  await make.give('organization', rows.organization, 'auditor_role', await person('orgAuditor'));
  await make.give('organization', rows.organization, 'execute_role', await person('orgExecute'));
  await make.give('organization', rows.elsewhere, 'admin_role', await person('otherAdmin'));
  for (const type of ['inventory', 'project', 'credential', 'job_template'] as const)
    for (const field of rolesOf[type]) await make.give(type, rows[type], field, await person(`${type}.${field}`));
  const teammate = await person('teammate');
  await make.give('team', rows.team, 'member_role', teammate);
  await make.giveTeam('job_template', rows.job_template, 'execute_role', rows.team);
  const token = await api.admin('POST', '/api/v2/tokens/', { scope: 'read' });
  as.readToken = api.as(`Bearer ${token.body.token}`);
  const ids = Object.fromEntries(Object.entries(rows).map(([name, row]: [string, any]) => [name, row.id]));
  return { api, make, as, users, ids, rows, stop: () => api.stop() };
}

export const rolesOf = {
  inventory: ['admin_role', 'update_role', 'adhoc_role', 'use_role', 'read_role'],
  project: ['admin_role', 'use_role', 'update_role', 'read_role'],
  credential: ['admin_role', 'use_role', 'read_role'],
  job_template: ['admin_role', 'execute_role', 'read_role'],
} as const;

async function records(make: World, db: any): Promise<Record<string, any>> {
  const organization = await make.organization({ name: 'Ours' });
  const elsewhere = await make.organization({ name: 'Theirs' });
  const inventory = await make.inventory(organization);
  const project = await make.project(organization, {
    scm_type: 'git',
    scm_url: 'https://example.org/x.git',
    status: 'successful',
  });
  const job_template = await make.jobTemplate(organization, {
    inventory_id: inventory.id,
    project_id: project.id,
    playbook: 'site.yml',
  });
  const job = await make.job(job_template, { status: 'successful', name: 'done', inventory_id: inventory.id });
  const host = await make.host(inventory);
  const [group] = await db('groups').insert({ name: 'web', inventory_id: inventory.id }).returning('*');
  const [update] = await db('runs')
    .insert({ kind: 'project_update', template_id: project.id, organization_id: organization.id, status: 'successful' })
    .returning('*');
  const instance_group = await make.instanceGroup();
  return {
    organization,
    elsewhere,
    team: await make.team(organization),
    inventory,
    project,
    job_template,
    job,
    host,
    group,
    project_update: update,
    credential: await make.credential(organization),
    instance_group,
  };
}

export const statusOf = async (answer: Promise<Answer>): Promise<number> => (await answer).status;
