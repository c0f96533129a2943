import type { TestService } from '../support/service.ts';

export interface Fixtures {
  /** an existing row per type */
  ids: Record<string, number>;
  /** by `METHOD path`: a body with which that write succeeds, a fresh one each time */
  bodies: Record<string, () => unknown>;
}

let made = 0;
const fresh = (what: string) => `${what} ${++made}`;

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
  await create('host', 'hosts', { name: fresh('fixture').replace(' ', '-'), inventory: ids.inventory });
  await create('group', 'groups', { name: fresh('fixture-group').replace(' ', '-'), inventory: ids.inventory });
  await create('credential_type', 'credential_types', { name: fresh('Type'), kind: 'cloud' });
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
  const runs = await db('runs')
    .insert(
      ['job', 'project_update'].map((kind) => ({
        kind,
        name: kind,
        status: 'successful',
        template_id: kind === 'job' ? ids.job_template : ids.project,
        project_id: ids.project,
        inventory_id: ids.inventory,
        organization_id: ids.organization,
        finished: '2026-01-01',
      })),
    )
    .returning(['id', 'kind']);
  for (const { id, kind } of runs) {
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
    (await db('instances').first('id')) ??
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
  ids.activity_stream ??= (await db('activity_stream').first('id')).id;
  return { ids, bodies: bodies(ids) };
}

export const bodies = (ids: Record<string, number>): Fixtures['bodies'] => ({
  'POST /api/v2/organizations/': () => ({ name: fresh('Organization') }),
  'POST /api/v2/teams/': () => ({ name: fresh('Team'), organization: ids.organization }),
  'POST /api/v2/organizations/:id/teams/': () => ({ name: fresh('Team') }),
  'POST /api/v2/labels/': () => ({ name: fresh('Label'), organization: ids.organization }),
  'POST /api/v2/inventories/:id/labels/': () => ({ id: ids.label }),
  'POST /api/v2/job_templates/:id/labels/': () => ({ id: ids.label }),
  'POST /api/v2/instance_groups/': () => ({ name: fresh('Group') }),
  'POST /api/v2/instance_groups/:id/instances/': () => ({ id: ids.instance }),
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
  'POST /api/v2/instances/:id/instance_groups/': () => ({ id: ids.instance_group }),
  'POST /api/v2/job_templates/:id/launch/': () => ({}),
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
});
