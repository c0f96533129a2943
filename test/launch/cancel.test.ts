import { expect } from 'chai';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { until } from '../support/until.ts';
import { type Stage, startStage } from './fixture.ts';

describe('cancel', function () {
  let stage: Stage;
  before(async () => (stage = await startStage()));
  after(() => stage.stop());

  const cancel = (job: number) => stage.post(`jobs/${job}/cancel/`);
  const canCancel = async (job: number) => (await stage.get(`jobs/${job}/cancel/`)).body;

  it('ends a running job and leaves no process', async () => {
    const job = await stage.launch(await stage.template({ playbook: 'sleeping.yml' }));
    await stage.reached(job.id, 'running');
    await until(
      async () => (await stage.get(`jobs/${job.id}/job_events/?event=playbook_on_task_start`)).body.count > 0,
      30_000,
    );
    const { pid } = (await stage.services.db('runs').where({ id: job.id }).first('handle')).handle;
    expect(await canCancel(job.id)).to.deep.equal({ can_cancel: true });
    const answer = await cancel(job.id);
    expect([answer.status, answer.body]).to.deep.equal([202, '']);
    expect((await cancel(job.id)).status).to.be.oneOf([202, 405]);
    const ended = await stage.ended(job.id);
    expect(ended).to.include({ status: 'canceled', failed: true });
    expect(ended.canceled_on).to.be.a('string');
    await until(() => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    });
    expect(await canCancel(job.id)).to.deep.equal({ can_cancel: false });
  });

  it('ends a pending job at once and lets the next one go on', async () => {
    const template = await stage.template({ playbook: 'sleeping.yml' });
    const [first, second, third] = [
      await stage.launch(template),
      await stage.launch(template),
      await stage.launch(template),
    ];
    await stage.reached(first.id, 'running');
    expect((await stage.get(`jobs/${second.id}/`)).body.status).to.equal('pending');
    expect((await cancel(second.id)).status).to.equal(202);
    expect((await stage.get(`jobs/${second.id}/`)).body).to.include({ status: 'canceled', started: null });
    await cancel(first.id);
    await stage.ended(first.id);
    await stage.reached(third.id, 'running');
    await cancel(third.id);
    await stage.ended(third.id);
  });

  it('reaches a job that is just being started', async () => {
    const template = await stage.template({ playbook: 'sleeping.yml', allow_simultaneous: true });
    const jobs = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const job = await stage.launch(template);
        await new Promise((resolve) => setTimeout(resolve, index * 8));
        await cancel(job.id);
        return job;
      }),
    );
    for (const job of jobs) expect((await stage.ended(job.id)).status).to.equal('canceled');
    expect(await stage.services.db('runs').whereIn('status', ['pending', 'waiting', 'running'])).to.deep.equal([]);
  });

  it('is not possible once the job has ended', async () => {
    const job = await stage.launch(await stage.template());
    await stage.ended(job.id);
    const answer = await cancel(job.id);
    expect(answer.status).to.equal(405);
    expect(answer.body.detail).to.contain('not allowed');
    expect((await stage.get(`jobs/${job.id}/`)).body.status).to.equal('successful');
  });

  it('works on a project update and takes the runs that wait for it along', async () => {
    const { db, statuses } = stage.services;
    // takes connections and never answers
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const scm_url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/x.git`;
    const [project] = await db('templates')
      .insert({ kind: 'project', name: 'slow', scm_type: 'git', scm_url })
      .returning('id');
    const [update] = await db('runs')
      .insert({
        kind: 'project_update',
        template_id: project.id,
        status: 'new',
        scm_type: 'git',
        scm_url,
      })
      .returning('id');
    const [job] = await db('runs').insert({ kind: 'job', template_id: null, status: 'new' }).returning('id');
    await db('run_dependencies').insert({ run_id: job.id, depends_on: update.id });
    await db.transaction((trx) => statuses.setStatus(trx, job, 'pending'));
    await until(async () => (await db('runs').where({ id: job.id }).first()).blocked_on === `run:${update.id}`);
    await db.transaction((trx) => statuses.setStatus(trx, update, 'pending'));
    expect((await stage.post(`project_updates/${update.id}/cancel/`)).status).to.equal(202);
    const ended = await stage.ended(job.id);
    expect(ended.status).to.equal('canceled');
    expect(ended.job_explanation).to.match(/^Previous Task Canceled: \{/);
    silent.close();
  });
});
