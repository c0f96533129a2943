import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../support/until.ts';
import { type Stage, startStage } from './fixture.ts';

const alive = (pid: number) => existsSync(`/proc/${pid}`);

describe('a run that is ended by force', function () {
  let stage: Stage;
  let template: number;
  before(async () => {
    stage = await startStage();
    template = await stage.template({ playbook: 'sleeping.yml', allow_simultaneous: true });
  });
  after(() => stage.stop());

  async function running() {
    const { id } = await stage.launch(template);
    await stage.reached(id, 'running');
    const { handle } = await stage.services.db('runs').where({ id }).first('handle');
    return { id, pid: handle.pid as number };
  }
  const gone = ({ id, pid }: { id: number; pid: number }) =>
    until(() => !alive(pid) && !existsSync(join(stage.dataDir, 'jobs', String(id))), 30_000, 'the end of its process');

  it('is canceled at once, and its process and its folder go', async () => {
    const run = await running();
    expect((await stage.post(`jobs/${run.id}/cancel/?force=true`)).status).to.equal(202);
    const job = (await stage.get(`jobs/${run.id}/`)).body;
    expect(job.status).to.equal('canceled');
    expect(job.job_explanation).to.contain('by force by admin');
    await gone(run);
  });

  it('is deleted while it runs', async () => {
    const run = await running();
    expect((await stage.request('DELETE', `jobs/${run.id}/`)).status).to.equal(403);
    expect((await stage.request('DELETE', `jobs/${run.id}/?force=maybe`)).status).to.equal(400);
    expect((await stage.request('DELETE', `jobs/${run.id}/?force=true`)).status).to.equal(204);
    expect((await stage.get(`jobs/${run.id}/`)).status).to.equal(404);
    await gone(run);
    expect(await stage.services.db('run_events').where({ run_id: run.id })).to.deep.equal([]);
  });

  it('ends even where nobody told its node', async () => {
    const run = await running();
    await stage.services.db('runs').where({ id: run.id }).delete();
    await gone(run);
  });

  it('is for superusers alone', async () => {
    const { id: user } = (await stage.post('users/', { username: 'forcer', password: 'a long secret 1' })).body;
    const run = await running();
    const { summary_fields } = (await stage.get(`organizations/?name=Default`)).body.results[0];
    await stage.post(`users/${user}/roles/`, { id: summary_fields.object_roles.admin_role.id });
    const auth = 'forcer:a long secret 1';
    for (const [method, path] of [
      ['POST', `jobs/${run.id}/cancel/?force=true`],
      ['DELETE', `jobs/${run.id}/?force=true`],
    ] as const)
      expect((await stage.request(method, path, { auth })).status, path).to.equal(403);
    expect((await stage.request('POST', `jobs/${run.id}/cancel/`, { auth })).status).to.equal(202);
    await stage.ended(run.id);
  });

  it('needs no force where its process has gone: it ends as an error, canceled or not', async () => {
    const run = await running();
    process.kill(run.pid, 'SIGKILL');
    await stage.post(`jobs/${run.id}/cancel/`);
    expect((await stage.ended(run.id)).status).to.equal('error');
  });
});
