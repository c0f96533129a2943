import { expect } from 'chai';
import { until } from '../support/until.ts';
import { reapUndecided } from '../../core/dispatch/reaper.ts';
import { type Stage, startStage } from '../launch/fixture.ts';
import { testPlugin } from '../support/plugins.ts';

describe('hooks of a launch', function () {
  this.timeout(120_000);
  let stage: Stage;
  let template: number;
  /** what the one tap of this service does now */
  let decide: (launch: any) => unknown = () => undefined;
  const changes: any[] = [];
  const finished: any[] = [];
  let failures = 0;

  before(async () => {
    const plugin = testPlugin('test', (api) => {
      api.hooks.beforeStart(
        { name: 'policy', stage: 200, failMode: 'deny', timeoutMs: 5000 },
        (launch) => decide(launch) as undefined,
      );
      api.hooks.onStatusChange({ name: 'watch' }, (change) => void changes.push(change));
      api.hooks.afterFinish({ name: 'after' }, (payload) => {
        failures += 1;
        if (failures === 1) throw new Error('only the first time');
        finished.push(payload);
      });
    });
    stage = await startStage({}, [plugin]);
    template = await stage.template();
  });
  after(() => stage.stop());

  it('shows the tap a committed run that nobody else sees yet', async () => {
    let seen: any;
    let visible: any;
    decide = async (launch) => {
      seen = { ...launch, stored: await stage.services.db('runs').where({ id: launch.run.id }).first('status') };
      visible = [(await stage.get('jobs/')).body.count, (await stage.get('unified_jobs/')).body.count];
      launch.explain('looked at');
    };
    const before = (await stage.get('jobs/')).body.count;
    const job = await stage.launch(template);
    expect(seen.stored.status).to.equal('new');
    expect(visible).to.deep.equal([before, before]);
    expect(seen.actor.username).to.equal('admin');
    expect(seen.authority.username).to.equal('admin');
    expect(seen.origin).to.include({ kind: 'api' });
    expect(seen.template.id).to.equal(template);
    expect(job.job_explanation).to.equal('looked at');
    const ended = await stage.ended(job.id);
    expect(ended.job_explanation).to.equal('looked at');
  });

  it('deletes a denied run and answers with the denial', async () => {
    const count = async () => Number((await stage.services.db('runs').count())[0]!['count']);
    const before = await count();
    decide = () => ({ status: 403, body: { detail: 'Policy denied launch.', reasons: ['because'] } });
    const answer = await stage.post(`job_templates/${template}/launch/`);
    expect(answer.status).to.equal(403);
    expect(answer.body).to.deep.equal({ detail: 'Policy denied launch.', reasons: ['because'] });
    expect(await count()).to.equal(before);
    expect((await stage.get(`job_templates/${template}/`)).body.status).to.equal('successful');
  });

  it('keeps a denied run as failed where nobody waits for the answer', async () => {
    decide = () => ({ status: 403, body: { detail: 'Policy denied launch.', reasons: ['because'] } });
    const { run } = await stage.services.launch.launchTemplate({
      templateId: template,
      prompts: {},
      actor: null,
      authority: null,
      origin: { kind: 'schedule', id: 7, client_ip: null },
      waiting: false,
      launchType: 'scheduled',
    });
    const { body } = await stage.get(`jobs/${run.id}/`);
    expect(body).to.include({
      status: 'failed',
      launch_type: 'scheduled',
      job_explanation: 'Policy denied launch.\nbecause',
    });
    expect(body.finished).to.be.a('string');
  });

  it('keeps a launch that cannot start as failed where nobody waits', async () => {
    decide = () => undefined;
    const { run } = await stage.services.launch.launchTemplate({
      templateId: template,
      prompts: { inventory: 424_242 },
      actor: null,
      authority: null,
      origin: { kind: 'schedule', id: 7, client_ip: null },
      waiting: false,
    });
    expect(run.status).to.equal('failed');
    expect(run.job_explanation).to.contain('424242');
  });

  it('refuses by the fail mode when the tap throws', async () => {
    decide = () => {
      throw new Error('broken');
    };
    const answer = await stage.post(`job_templates/${template}/launch/`);
    expect(answer.status).to.equal(403);
    expect(answer.body.detail).to.contain('test:policy');
  });

  it('tells every status change in order, once per tap, and repeats a failing tap alone', async () => {
    decide = () => undefined;
    const job = await stage.launch(template);
    await stage.ended(job.id);
    const mine = () => changes.filter((change) => change.run_id === job.id).toSorted((a, b) => a.seq - b.seq);
    await until(() => mine().length === 4);
    expect(mine().map(({ seq, from, to }) => [seq, from, to])).to.deep.equal([
      [1, 'new', 'pending'],
      [2, 'pending', 'waiting'],
      [3, 'waiting', 'running'],
      [4, 'running', 'successful'],
    ]);
    await until(() => finished.some(({ run }) => run.id === job.id), 30_000);
    expect(failures).to.be.greaterThan(finished.length);
    expect(Object.keys(finished.at(-1).run)).not.to.include.members(['handle', 'prompts']);
  });

  it('reaps a run whose launching process died before the decision', async () => {
    const { db } = stage.services;
    const [row] = await db('runs')
      .insert({ kind: 'job', template_id: template, modified: db.raw("now() - interval '40 seconds'") })
      .returning('id');
    expect((await stage.get(`jobs/?id=${row.id}`)).body.count).to.equal(0);
    await reapUndecided(db);
    expect(await db('runs').where({ id: row.id }).first()).to.equal(undefined);
  });
});
