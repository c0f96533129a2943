import { expect } from 'chai';
import { type Stage, startStage } from '../launch/fixture.ts';

describe('execution environments', function () {
  let stage: Stage;
  let organization: number;

  before(async () => {
    stage = await startStage();
    organization = (await stage.get(`inventories/${stage.inventory}/`)).body.organization;
    for (const [username, role] of [
      ['keeper', 'execution_environment_admin_role'],
      ['member', 'member_role'],
      ['stranger', null],
    ] as const) {
      const { id } = (await stage.post('users/', { username, password: `${username}-password-1` })).body;
      const { object_roles: roles } = (await stage.get(`organizations/${organization}/`)).body.summary_fields;
      if (role) await stage.post(`users/${id}/roles/`, { id: roles[role].id });
    }
  });
  after(() => stage.stop());

  const as = (username: string) => ({ auth: `${username}:${username}-password-1` });
  const make = (body: object, options = {}, path = 'execution_environments/') =>
    stage.post(path, { name: `e${Math.random()}`, image: 'example.org/engine:1', ...body }, options);
  const made = async (body: object = {}) => {
    const answer = await make(body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body;
  };
  const patch = (path: string, body: object, options = {}) => stage.request('PATCH', path, { body, ...options });

  it('are kept by who manages those of an organization; those of none by superusers, for everybody', async () => {
    const own = await made({ organization });
    const global = await made();
    expect((await make({ organization }, as('keeper'))).status).to.equal(201);
    expect((await make({}, as('keeper'))).status).to.equal(403);
    expect((await make({ organization }, as('member'))).status).to.equal(403);
    const below = await make({}, as('keeper'), `organizations/${organization}/execution_environments/`);
    expect([below.status, below.body.organization]).to.deep.equal([201, organization]);
    const seen = async (username: string) => (await stage.get('execution_environments/', as(username))).body.results;
    expect((await seen('member')).map(({ id }: any) => id)).to.include.members([own.id, global.id]);
    expect((await seen('stranger')).map(({ id }: any) => id)).to.deep.equal([global.id]);
    expect((await seen('stranger'))[0].summary_fields.user_capabilities).to.deep.equal({
      edit: false,
      delete: false,
      copy: false,
    });
    expect((await patch(`execution_environments/${global.id}/`, { pull: 'never' }, as('keeper'))).status).to.equal(403);
    expect((await patch(`execution_environments/${own.id}/`, { pull: 'never' }, as('keeper'))).body.pull).to.equal(
      'never',
    );
    const copy = await stage.post(`execution_environments/${own.id}/copy/`, { name: 'the copy' }, as('keeper'));
    expect(copy.body).to.deep.include({ name: 'the copy', image: own.image, organization, pull: 'never' });
    const again = await stage.post(`execution_environments/${own.id}/copy/`, { name: 'the copy' });
    expect([again.status, Object.keys(again.body)]).to.deep.equal([400, ['name']]);
    expect((await stage.request('DELETE', `execution_environments/${copy.body.id}/`, as('keeper'))).status).to.equal(
      204,
    );
    const options = (await stage.request('OPTIONS', 'execution_environments/')).body.actions.POST.pull.choices;
    expect(options.map(([value]: [string]) => value)).to.deep.equal(['', 'always', 'missing', 'never']);
  });

  it('name images, in a name of their own, with a credential for a registry', async () => {
    for (const image of ['', 'Engine', 'a b', 'x:1:2', 'host/UPPER', '-x', 'x@sha256:short', 'https://x/y', '/x', 'x/'])
      expect((await make({ image })).body, image).to.have.property('image');
    for (const image of [
      'engine',
      'localhost:5000/a/b:tag',
      'Registry.example.org/a-b_c.d/e',
      `quay.io/x/y@sha256:${'a'.repeat(64)}`,
    ])
      expect((await make({ image })).status, image).to.equal(201);
    const { id, name } = await made({ organization });
    expect((await make({ name })).body).to.deep.equal({
      name: ['Execution environment with this Name already exists.'],
    });
    const credential = await stage.credential({ credential_type: stage.machineType, inputs: {} });
    expect((await patch(`execution_environments/${id}/`, { credential })).body).to.have.property('credential');
    const elsewhere = (await stage.post('organizations/', { name: 'elsewhere' })).body.id;
    expect((await patch(`execution_environments/${id}/`, { organization: elsewhere })).body).to.have.property(
      'organization',
    );
    expect((await patch(`execution_environments/${id}/`, { organization: null }, as('keeper'))).status).to.equal(403);
    expect((await patch(`execution_environments/${id}/`, { organization: null })).body.organization).to.equal(null);
  });

  it('that the service brings change in nothing but when they are fetched, and stay', async () => {
    const { id } = await made();
    await stage.services.db('execution_environments').where({ id }).update({ managed: true });
    expect((await patch(`execution_environments/${id}/`, { pull: 'always' })).status).to.equal(200);
    expect((await patch(`execution_environments/${id}/`, { image: 'other' })).status).to.equal(403);
    expect((await stage.request('DELETE', `execution_environments/${id}/`)).status).to.equal(403);
  });

  it('are recorded with jobs: what the launch names, the template, its project, its organization, the service', async () => {
    const [asked, ofTemplate, ofProject, ofOrganization, ofService] = await Promise.all(
      Array.from({ length: 5 }, () => made()),
    );
    const template = await stage.template({
      execution_environment: ofTemplate.id,
      ask_execution_environment_on_launch: true,
    });
    const { db } = stage.services;
    const used = async (body: object = {}) => {
      const job = await stage.ended((await stage.launch(template, body)).id);
      expect(job.status).to.equal('successful');
      if (job.execution_environment !== null)
        expect(job.job_explanation)
          .to.match(/^Ran with the engine of the node, not in the execution environment "e/)
          .and.to.include('this service starts no containers (CONTAINER_COMMAND is empty).');
      return job.execution_environment;
    };
    const info = (await stage.get(`job_templates/${template}/launch/`)).body;
    expect(info.defaults.execution_environment).to.deep.equal({ id: ofTemplate.id, name: ofTemplate.name });
    expect(await used({ execution_environment: asked.id })).to.equal(asked.id);
    expect(await used()).to.equal(ofTemplate.id);
    expect((await patch(`projects/${stage.project}/`, { default_environment: ofProject.id })).status).to.equal(200);
    await patch(`organizations/${organization}/`, { default_environment: ofOrganization.id });
    await patch('settings/system/', { DEFAULT_EXECUTION_ENVIRONMENT: ofService.id });
    await patch(`job_templates/${template}/`, { execution_environment: null });
    expect(await used()).to.equal(ofProject.id);
    await db('templates').update({ default_environment_id: null });
    expect(await used()).to.equal(ofOrganization.id);
    await db('organizations').update({ default_environment_id: null });
    expect(await used()).to.equal(ofService.id);
    await stage.request('DELETE', 'settings/system/');
    expect(await used()).to.equal(null);
    const refused = await stage.post(`job_templates/${template}/launch/`, { execution_environment: 999_999 });
    expect(refused.body).to.have.property('execution_environment');
    const listed = await stage.get(`execution_environments/${ofTemplate.id}/unified_job_templates/`);
    expect(listed.body.count).to.equal(0);
  });

  it('let a run fail where the setting says so, an ad hoc command as well', async () => {
    const environment = await made({ organization });
    await patch('settings/jobs/', { EXECUTION_ENVIRONMENT_MISSING: 'fail' });
    const job = await stage.ended(
      (await stage.launch(await stage.template({ execution_environment: environment.id }))).id,
    );
    expect(job).to.include({ status: 'failed', execution_environment: environment.id });
    expect(job.job_explanation).to.include('this service starts no containers');
    expect(job.summary_fields.execution_environment).to.include({ id: environment.id, image: environment.image });
    const command = await stage.post('ad_hoc_commands/', {
      inventory: stage.inventory,
      module_name: 'ping',
      execution_environment: environment.id,
    });
    expect(command.body).to.include({ execution_environment: environment.id });
    await stage.post(`ad_hoc_commands/${command.body.id}/cancel/`);
    await stage.request('DELETE', 'settings/jobs/');
  });
});
