import { expect } from 'chai';
import { type Stage, startStage } from './fixture.ts';

describe('launches in the activity stream', function () {
  let stage: Stage;
  before(async () => (stage = await startStage()));
  after(() => stage.stop());

  const newest = async (path = 'activity_stream/') =>
    (await stage.get(`${path}?order_by=-id&page_size=1`)).body.results[0];

  it('tells who launched what from where, below the job and below its template', async () => {
    const template = await stage.template({ name: 'told', ask_limit_on_launch: true });
    const job = await stage.launch(template, { limit: 'good' });
    const entry = await newest();
    expect(entry).to.include({ operation: 'create', object1: 'job', object2: '' });
    expect(entry.changes).to.include({
      id: job.id,
      name: 'told',
      launch_type: 'manual',
      limit: 'good',
      unified_job_template: `told-${template}`,
      inventory: `stage-${stage.inventory}`,
      project: `stage-${stage.project}`,
      playbook: 'quick.yml',
    });
    expect(entry.summary_fields.actor.username).to.equal('admin');
    expect(entry.summary_fields.job).to.deep.equal([{ id: job.id, name: 'told', description: '' }]);
    expect(entry.summary_fields.job_template).to.deep.equal([{ id: template, name: 'told' }]);
    expect(entry.related).to.deep.include({ job: [job.url], job_template: [`/api/v2/job_templates/${template}/`] });
    for (const path of [`jobs/${job.id}`, `job_templates/${template}`])
      expect((await newest(`${path}/activity_stream/`)).id).to.equal(entry.id);
    await stage.ended(job.id);
    const again = (await stage.post(`jobs/${job.id}/relaunch/`)).body;
    expect((await newest()).changes).to.include({ id: again.id, launch_type: 'relaunch', limit: 'good' });
    await stage.ended(again.id);
  });

  it('tells who canceled, once', async () => {
    const job = await stage.launch(await stage.template({ playbook: 'sleeping.yml' }));
    await stage.reached(job.id, 'running');
    for (const _ of [1, 2]) expect((await stage.post(`jobs/${job.id}/cancel/`)).status).to.equal(202);
    await stage.ended(job.id);
    const { results } = (await stage.get(`jobs/${job.id}/activity_stream/?order_by=id`)).body;
    expect(results.map(({ operation, changes }: any) => [operation, changes.cancel_flag])).to.deep.equal([
      ['create', undefined],
      ['update', [false, true]],
    ]);
    expect(results[1].summary_fields.actor.username).to.equal('admin');
  });

  it('tells the audit log of launches, and of each credential that they use', async () => {
    const { db } = stage.services;
    const type = await db('credential_types').where({ namespace: 'vault' }).first('id');
    const credential = (
      await stage.post('credentials/', {
        name: 'used',
        organization: 1,
        credential_type: type.id,
        inputs: { vault_password: 'secret of the vault' },
      })
    ).body;
    const template = await stage.template({ name: 'audited' });
    await stage.post(`job_templates/${template}/credentials/`, { id: credential.id });
    const job = await stage.launch(template);
    await stage.ended(job.id);
    const events = async (query: string) => (await stage.get(`audit_events/?order_by=-id&${query}`)).body.results;
    const [launch] = await events(`action=launch&object_id=${job.id}`);
    expect(launch).to.include({ object_type: 'job', object_name: 'audited', actor_name: 'admin', before: null });
    expect(launch.ip).to.match(/127\.0\.0\.1$/);
    expect(launch.request_id).to.match(/.{8}/);
    expect(launch.after).to.include({ id: job.id, playbook: 'quick.yml' });
    const uses = await events('action=credential_use&object_name=used');
    expect(
      uses.map(({ object_id, details, actor_name, request_id }: any) => [object_id, details, actor_name, request_id]),
    ).to.deep.equal([[credential.id, { run: job.id, type: 'job', name: 'audited' }, 'admin', launch.request_id]]);
  });

  it('says nothing of a launch that was refused, and nothing at all when it is off', async () => {
    const template = await stage.template({ ask_limit_on_launch: true });
    const before = await newest();
    expect((await stage.post(`job_templates/${template}/launch/`, { limit: null })).status).to.equal(400);
    expect((await newest()).id).to.equal(before.id);
    await stage.request('PATCH', 'settings/system/', { body: { ACTIVITY_STREAM_ENABLED: false } });
    const last = await newest();
    const silent = await stage.launch(template);
    await stage.ended(silent.id);
    // the audit log goes on
    expect((await stage.get(`audit_events/?action=launch&object_id=${silent.id}`)).body.count).to.equal(1);
    expect((await newest()).id).to.equal(last.id);
  });
});
