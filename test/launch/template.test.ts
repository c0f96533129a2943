import { expect } from 'chai';
import { type Stage, startStage } from './fixture.ts';

describe('job templates', function () {
  let stage: Stage;
  before(async () => (stage = await startStage()));
  after(() => stage.stop());

  const create = (body: object) =>
    stage.post('job_templates/', {
      name: `x${Math.random()}`,
      inventory: stage.inventory,
      project: stage.project,
      playbook: 'quick.yml',
      ...body,
    });

  it('refuses what cannot run', async () => {
    const cases: [object, string][] = [
      [{ project: null }, 'project'],
      [{ inventory: null }, 'inventory'],
      [{ playbook: '' }, 'playbook'],
      [{ playbook: 'absent.yml' }, 'playbook'],
      [{ playbook: '../quick.yml' }, 'playbook'],
      [{ playbook: '/etc/passwd' }, 'playbook'],
      [{ playbook: '-e' }, 'playbook'],
      [{ playbook: 'a/../../x.yml' }, 'playbook'],
      [{ scm_branch: 'other' }, 'scm_branch'],
      [{ ask_scm_branch_on_launch: true }, 'ask_scm_branch_on_launch'],
      [{ extra_vars: '[1]' }, 'extra_vars'],
      [{ extra_vars: {} }, 'extra_vars'],
      [{ forks: 100_000 }, 'forks'],
      [{ project: stage.project + 10_000 }, 'project'],
      [{ verbosity: 7 }, 'verbosity'],
    ];
    for (const [body, key] of cases) {
      const answer = await create(body);
      expect(answer.status, JSON.stringify([body, answer.body])).to.equal(400);
      expect(answer.body, JSON.stringify(body)).to.have.property(key);
    }
  });

  it('follows the organization of its project and refuses a taken name', async () => {
    const { body } = await create({ name: 'taken' });
    expect(body.organization).to.be.a('number');
    const again = await create({ name: 'taken' });
    expect(again.status).to.equal(400);
    expect(again.body.__all__[0]).to.contain('already exists');
  });

  it('copies everything but its name, with credentials', async () => {
    const template = await stage.template({ limit: 'good', ask_limit_on_launch: true });
    const credential = await stage.credential({ credential_type: stage.machineType, inputs: {} });
    await stage.post(`job_templates/${template}/credentials/`, { id: credential });
    expect((await stage.get(`job_templates/${template}/copy/`)).body).to.deep.equal({ can_copy: true });
    const { status, body } = await stage.post(`job_templates/${template}/copy/`, { name: 'the copy' });
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(body).to.include({ name: 'the copy', limit: 'good', ask_limit_on_launch: true, status: 'never updated' });
    expect(body.summary_fields.credentials[0].id).to.equal(credential);
    expect((await stage.post(`job_templates/${template}/copy/`, { name: 'the copy' })).body.__all__[0]).to.contain(
      'already exists',
    );
    expect((await stage.post(`job_templates/${template}/copy/`, {})).body).to.have.property('name');
  });

  it('cannot be deleted while it runs', async () => {
    const template = await stage.template({ playbook: 'sleeping.yml' });
    const job = await stage.launch(template);
    const busy = await stage.request('DELETE', `job_templates/${template}/`);
    expect(busy.status).to.equal(409);
    expect(busy.body.active_jobs).to.deep.equal([{ id: job.id, type: 'job' }]);
    const running = await stage.request('DELETE', `jobs/${job.id}/`);
    expect([running.status, running.body]).to.deep.equal([403, { detail: 'Cannot delete running job resource.' }]);
    await stage.post(`jobs/${job.id}/cancel/`);
    await stage.ended(job.id);
    expect((await stage.request('DELETE', `job_templates/${template}/`)).status).to.equal(204);
    expect((await stage.get(`jobs/${job.id}/`)).body).to.include({ job_template: null, status: 'canceled' });
    expect((await stage.request('DELETE', `jobs/${job.id}/`)).status).to.equal(204);
    expect(await stage.services.db('run_events').where({ run_id: job.id })).to.deep.equal([]);
  });
});
