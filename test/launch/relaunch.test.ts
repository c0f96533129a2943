import { expect } from 'chai';
import { type Stage, startStage } from './fixture.ts';

describe('relaunch', function () {
  let stage: Stage;
  before(async () => (stage = await startStage()));
  after(() => stage.stop());

  const relaunch = (job: number, body: object = {}) => stage.post(`jobs/${job}/relaunch/`, body);

  it('repeats the launch with its prompts and what the template is now', async () => {
    const template = await stage.template({
      ask_limit_on_launch: true,
      ask_variables_on_launch: true,
      extra_vars: 'who: first\n',
    });
    const job = await stage.launch(template, { limit: 'good', extra_vars: { more: 1 } });
    await stage.ended(job.id);
    await stage.request('PATCH', `job_templates/${template}/`, {
      body: { extra_vars: 'who: second\n', ask_limit_on_launch: false, verbosity: 1 },
    });
    const { status, body } = await relaunch(job.id);
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(body).to.include({
      launch_type: 'relaunch',
      limit: 'good',
      verbosity: 1,
      job: body.id,
      inventory: stage.inventory,
    });
    expect(JSON.parse(body.extra_vars)).to.deep.equal({ who: 'second', more: 1 });
    expect(body.id).not.to.equal(job.id);
    expect((await stage.ended(body.id)).status).to.equal('successful');
  });

  it('runs again only where it failed', async () => {
    const job = await stage.launch(await stage.template({ playbook: 'failing.yml' }));
    expect((await stage.ended(job.id)).status).to.equal('failed');
    expect((await stage.get(`jobs/${job.id}/relaunch/`)).body).to.deep.equal({
      passwords_needed_to_start: [],
      retry_counts: { all: 2, failed: 1 },
    });
    const { body } = await relaunch(job.id, { hosts: 'failed' });
    expect(body.limit).to.equal('bad');
    await stage.ended(body.id);
    const fine = await stage.launch(await stage.template());
    await stage.ended(fine.id);
    expect((await relaunch(fine.id, { hosts: 'failed' })).body.hosts).to.be.a('string');
    expect((await relaunch(fine.id, { hosts: 'some' })).body.hosts).to.be.an('array');
  });

  it('is told in words while the job runs, and refuses failed hosts then', async () => {
    const job = await stage.launch(await stage.template({ playbook: 'sleeping.yml' }));
    await stage.reached(job.id, 'running');
    expect((await stage.get(`jobs/${job.id}/relaunch/`)).body.retry_counts).to.be.a('string');
    expect((await relaunch(job.id, { hosts: 'failed' })).status).to.equal(400);
    await stage.post(`jobs/${job.id}/cancel/`);
    await stage.ended(job.id);
  });

  it('asks for the passwords again, under its own name', async () => {
    const credential = await stage.credential({ credential_type: stage.machineType, inputs: { password: 'ASK' } });
    const template = await stage.template();
    await stage.post(`job_templates/${template}/credentials/`, { id: credential });
    const job = await stage.launch(template, { ssh_password: 'x' });
    await stage.ended(job.id);
    expect((await stage.get(`jobs/${job.id}/relaunch/`)).body.passwords_needed_to_start).to.deep.equal([
      'ssh_password',
    ]);
    expect((await relaunch(job.id)).body).to.deep.equal({ credential_passwords: ['ssh_password'] });
    const { status, body } = await relaunch(job.id, { credential_passwords: { ssh_password: 'y' } });
    expect(status).to.equal(201);
    await stage.ended(body.id);
  });

  it('says what is gone', async () => {
    const template = await stage.template();
    const job = await stage.launch(template);
    await stage.ended(job.id);
    await stage.services.db('runs').where({ id: job.id }).update({ project_id: null });
    expect((await stage.get(`jobs/${job.id}/`)).body.summary_fields.user_capabilities.start).to.equal(false);
    const refused = await relaunch(job.id);
    expect([refused.status, refused.body]).to.deep.equal([400, { errors: ['The project of the job is gone.'] }]);
    await stage.services.db('runs').where({ id: job.id }).update({ inventory_id: null });
    expect((await relaunch(job.id)).body.errors).to.have.length(2);
  });

  const password = 'long enough 1';
  const as = (name: string) => ({ auth: `${name}:${password}` });

  it('is offered by lists and details alike to who may use what was given along, in whatever template that stands as well', async () => {
    const given = await stage.credential({ credential_type: stage.machineType });
    await stage.post(`job_templates/${await stage.template()}/credentials/`, { id: given });
    const template = await stage.template({ ask_credential_on_launch: true });
    const [plain, filled] = [await stage.launch(template), await stage.launch(template, { credentials: [given] })];
    for (const { id } of [plain, filled]) await stage.ended(id);
    const { body: user } = await stage.post('users/', { username: 'operator', password });
    const { object_roles: roles } = (await stage.get(`job_templates/${template}/`)).body.summary_fields;
    await stage.post(`users/${user.id}/roles/`, { id: roles.execute_role.id });
    const offered = async (path: string) => {
      const { body } = await stage.get(path, as('operator'));
      return (body.results ?? [body]).map((job: any) => job.summary_fields.user_capabilities.start);
    };
    expect(await offered(`job_templates/${template}/jobs/?order_by=id`)).to.deep.equal([true, false]);
    expect(await offered(`jobs/${filled.id}/`)).to.deep.equal([false]);
    expect((await stage.post(`jobs/${filled.id}/relaunch/`, {}, as('operator'))).status).to.equal(403);
  });

  it('asks of all that was given along what a launch would, and gives nobody a schedule that names more', async () => {
    const own = (await stage.get(`projects/${stage.project}/`)).body.organization;
    const { id: organization } = (await stage.post('organizations/', { name: 'elsewhere' })).body;
    const made = async (path: string, body: object): Promise<number> => {
      const answer = await stage.post(path, body);
      expect(answer.status, `${path} ${answer.text}`).to.equal(201);
      return answer.body.id;
    };
    const hidden: Record<string, unknown> = {
      labels: [await made('labels/', { name: 'theirs', organization })],
      execution_environment: await made('execution_environments/', {
        name: 'theirs',
        image: 'quay.io/x/y',
        organization,
      }),
      instance_groups: [await made('instance_groups/', { name: 'theirs' })],
      credentials: [await stage.credential({ credential_type: stage.machineType, organization })],
    };
    const flags = ['labels', 'execution_environment', 'instance_groups', 'credential'];
    const template = await stage.template(Object.fromEntries(flags.map((flag) => [`ask_${flag}_on_launch`, true])));
    const roles = async (path: string) => (await stage.get(path)).body.summary_fields.object_roles;
    for (const [username, role] of [
      ['repeater', (await roles(`job_templates/${template}/`)).execute_role],
      ['conductor', (await roles(`organizations/${own}/`)).execute_role],
    ]) {
      const { body: user } = await stage.post('users/', { username, password });
      expect((await stage.post(`users/${user.id}/roles/`, { id: role.id })).status).to.equal(204);
    }
    for (const [name, value] of Object.entries(hidden)) {
      // a run that waits for nothing is not needed: it is only repeated
      const { id } = await stage.launch(template, { [name]: value });
      await stage.post(`jobs/${id}/cancel/`);
      await stage.ended(id);
      // of a label it is not told
      if (name !== 'labels')
        for (const path of [`jobs/${id}/`, `jobs/?id=${id}`]) {
          const { body: found } = await stage.get(path, as('repeater'));
          const [job] = found.results ?? [found];
          expect(job.summary_fields.user_capabilities.start, `${name} ${path}`).to.equal(false);
        }
      const { status, body } = await stage.post(`jobs/${id}/relaunch/`, {}, as('repeater'));
      expect([status, body.detail], name).to.satisfy(
        ([code, detail]: [number, string]) => code === 403 && /^You do not have the (use|read) right on /.test(detail),
      );
      const again = await stage.post(`jobs/${id}/relaunch/`, {}, as('conductor'));
      expect(again.status, `${name} ${again.text}`).to.equal(201);
      await stage.post(`jobs/${again.body.id}/cancel/`);
      await stage.ended(again.body.id);
      for (const person of ['repeater', 'conductor']) {
        const path = `jobs/${id}/create_schedule/`;
        expect((await stage.get(path, as(person))).body.can_schedule, name).to.equal(false);
        expect((await stage.post(path, {}, as(person))).status, name).to.equal(403);
      }
      expect((await stage.get(`jobs/${id}/create_schedule/`)).body.can_schedule, name).to.equal(true);
    }
  });

  describe('of a job whose template is gone', () => {
    let organization: number;
    let job: any;
    before(async () => {
      organization = (await stage.get(`projects/${stage.project}/`)).body.organization;
      const credential = await stage.credential({ credential_type: stage.machineType, inputs: { password: 'ASK' } });
      const template = await stage.template({
        ask_limit_on_launch: true,
        ask_variables_on_launch: true,
        verbosity: 1,
        extra_vars: 'who: "{{ 6 * 7 }}"\n',
      });
      await stage.post(`job_templates/${template}/credentials/`, { id: credential });
      job = await stage.launch(template, { limit: 'good', extra_vars: { more: 1 }, ssh_password: 'x' });
      await stage.ended(job.id);
      await stage.request('DELETE', `job_templates/${template}/`);
      const { object_roles: roles } = (await stage.get(`organizations/${organization}/`)).body.summary_fields;
      for (const role of ['admin_role', 'auditor_role', 'execute_role']) {
        const { body: user } = await stage.post('users/', { username: role, password });
        await stage.post(`users/${user.id}/roles/`, { id: roles[role].id });
      }
    });

    const start = async (id: number, name: string) =>
      (await stage.get(`jobs/${id}/`, as(name))).body.summary_fields.user_capabilities.start;

    it('repeats it as it was, with the passwords it asks for', async () => {
      expect((await relaunch(job.id)).body).to.deep.equal({ credential_passwords: ['ssh_password'] });
      const { status, body } = await relaunch(job.id, { credential_passwords: { ssh_password: 'y' } });
      expect(status, JSON.stringify(body)).to.equal(201);
      const same = ['name', 'limit', 'verbosity', 'playbook', 'project', 'inventory', 'organization'];
      for (const key of same) expect(body[key], key).to.deep.equal(job[key]);
      expect(JSON.parse(body.extra_vars)).to.deep.equal({ who: '{{ 6 * 7 }}', more: 1 });
      expect(body).to.include({ launch_type: 'relaunch', job_template: null, unified_job_template: null });
      expect((await stage.ended(body.id)).status).to.equal('successful');
      // nobody vouches for the expression any more
      expect((await stage.get(`jobs/${body.id}/stdout/?format=txt`)).body).to.contain('hello {{ 6 * 7 }}');
      const again = await relaunch(body.id, { ssh_password: 'z', hosts: 'all' });
      expect(again.status, JSON.stringify(again.body)).to.equal(201);
      await stage.ended(again.body.id);
    });

    it('is for who may run everything of its organization and sees it', async () => {
      const passwords = { ssh_password: 'y' };
      expect(await start(job.id, 'admin_role')).to.equal(true);
      const done = await stage.post(`jobs/${job.id}/relaunch/`, passwords, as('admin_role'));
      expect(done.status, JSON.stringify(done.body)).to.equal(201);
      await stage.ended(done.body.id);
      expect(await start(job.id, 'auditor_role')).to.equal(false);
      expect((await stage.post(`jobs/${job.id}/relaunch/`, passwords, as('auditor_role'))).status).to.equal(403);
      // it was seen through the template
      expect((await stage.post(`jobs/${job.id}/relaunch/`, passwords, as('execute_role'))).status).to.equal(404);
    });

    it('is the superuser’s when its organization is gone as well', async () => {
      await stage.services.db('runs').where({ id: job.id }).update({ organization_id: null });
      expect((await stage.post(`jobs/${job.id}/relaunch/`, {}, as('admin_role'))).status).to.equal(404);
      const { status, body } = await relaunch(job.id, { ssh_password: 'y' });
      expect(status, JSON.stringify(body)).to.equal(201);
      await stage.ended(body.id);
    });
  });
});
