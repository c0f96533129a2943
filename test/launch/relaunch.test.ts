import { expect } from 'chai';
import { type Stage, startStage } from './fixture.ts';

describe('relaunch', function () {
  this.timeout(120_000);
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
    await stage.request('DELETE', `job_templates/${template}/`);
    expect((await relaunch(job.id)).body.errors).to.have.length(1);
  });
});
