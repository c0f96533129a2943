import { ApiError, coreColumns, ValidationError } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { until } from '../support/until.ts';
import { reapUndecided } from '../../core/runs/reaper.ts';
import { type Stage, startStage } from '../launch/fixture.ts';
import { testPlugin } from '../support/plugins.ts';

describe('hooks of a launch', function () {
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

  it('hands over the columns that are promised, of run and template, at the beginning and the end', async () => {
    let seen: any;
    decide = (launch) => void (seen = launch);
    const { id } = await stage.launch(template);
    await stage.ended(id);
    const { run } = await until(() => finished.find((payload) => payload.run.id === id));
    const promised = Object.keys(coreColumns.core_runs);
    expect(seen.run).to.include.all.keys(promised);
    expect(run).to.include.all.keys(promised);
    const row = await stage.services.db('core_runs').where({ id }).first();
    expect(run).to.deep.include({ created: row!.created, finished: row!.finished, origin: row!.origin });
    const { survey_questions: _computed, ...columns } = coreColumns.core_templates;
    expect(seen.template).to.include.all.keys(Object.keys(columns));
  });

  it('tells the tap what the run will use, by number and name', async () => {
    let uses: any;
    decide = (launch) => void ({ uses } = launch);
    const credential = await stage.credential({ name: 'its key', credential_type: stage.machineType, inputs: {} });
    const asking = await stage.template({ ask_credential_on_launch: true });
    await stage.launch(asking, { credentials: [credential] });
    expect(uses).to.deep.equal({
      organization: { id: uses.organization.id, name: 'Default' },
      inventory: { id: stage.inventory, name: 'stage' },
      project: { id: stage.project, name: 'stage' },
      credentials: [{ id: credential, name: 'its key', kind: 'ssh' }],
    });
  });

  it('cuts the explanation of the run where a tap wants it', async () => {
    decide = ({ explain }) => explain(`Scan warnings: ${'x'.repeat(1000)}`, { cut: 40 });
    const job = await stage.launch(template);
    expect(job.job_explanation).to.equal(`Scan warnings: ${'x'.repeat(25)}`);
    await stage.ended(job.id);
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

  it('sends the headers of a denial, in both forms of the answer, and takes an ApiError for one', async () => {
    const path = `job_templates/${template}/launch/`;
    const body = { detail: 'Too many launches.', limit: 5 };
    const headers = { 'Retry-After': '60', 'X-Frame-Options': 'ALLOWALL' };
    for (const tap of [
      () => ({ status: 429, body, headers }),
      () => {
        throw new ApiError(429, body, headers);
      },
    ]) {
      decide = tap;
      const answer = await stage.post(path);
      expect([answer.status, answer.body]).to.deep.equal([429, body]);
      expect(answer.headers.get('retry-after')).to.equal('60');
      expect(answer.headers.get('x-frame-options')).to.equal('SAMEORIGIN');
      const problem = await stage.post(path, {}, { headers: { Accept: 'application/problem+json' } });
      expect(problem.headers.get('retry-after')).to.equal('60');
      expect(problem.body).to.deep.include({ status: 429, detail: body.detail, errors: { limit: 5 } });
    }
  });

  it('keeps a denied run as failed where nobody waits for the answer', async () => {
    decide = () => ({ status: 403, body: { detail: 'Policy denied launch.', reasons: ['because'] } });
    const { run } = await stage.services.launch.start({
      template,
      prompts: {},
      actor: null,
      authority: null,
      origin: { kind: 'schedule', id: 7, client_ip: null },
      waiting: false,
    });
    const { body } = await stage.get(`jobs/${run.id}/`);
    expect(body).to.include({
      status: 'failed',
      launch_type: 'scheduled',
      job_explanation: 'Policy denied launch.\nbecause',
    });
    expect(body.finished).to.be.a('string');
  });

  it('tells of a refusal in the activity stream: who, what, why and by which tap, though the run is gone', async () => {
    decide = () => ({
      status: 403,
      body: { detail: 'Policy denied \0 launch.', reasons: ['because', { of: 'this' }] },
    });
    await stage.post('users/', { username: 'launcher', password: 'launcher-pass-1' });
    const template = await stage.template();
    const stream = `job_templates/${template}/activity_stream/?order_by=-id`;
    const auth = 'launcher:launcher-pass-1';
    const roles = (await stage.get(`job_templates/${template}/`)).body.summary_fields.object_roles;
    const { id: user } = (await stage.get('users/?username=launcher')).body.results[0];
    await stage.post(`roles/${roles.execute_role.id}/users/`, { id: user });
    expect((await stage.post(`job_templates/${template}/launch/`, {}, { auth })).status).to.equal(403);
    const [entry] = (await stage.get(stream, { auth })).body.results;
    expect(entry).to.deep.include({
      operation: 'update',
      object1: 'job_template',
      changes: {
        action: 'launch_denied',
        tap: 'test:policy',
        status: 403,
        detail: 'Policy denied \uFFFD launch.',
        reasons: ['because', '{"of":"this"}'],
        launch_type: 'manual',
      },
    });
    expect(entry.summary_fields.actor.username).to.equal('launcher');
    expect(entry.summary_fields.job_template.map(({ id }: any) => id)).to.deep.equal([template]);
    expect(entry.related).not.to.have.property('job');

    decide = () => {
      throw new Error('broken');
    };
    await stage.post(`job_templates/${template}/launch/`);
    const [failed] = (await stage.get(stream)).body.results;
    expect(failed.changes).to.include({ action: 'launch_denied', tap: 'test:policy' });
    expect(failed.changes.detail).to.contain('refused by its fail mode');
    expect(failed.summary_fields.actor.username).to.equal('admin');
  });

  it('tells of a refusal that nobody waits for with the run that was kept', async () => {
    decide = () => {
      throw ValidationError.field('limit', 'Too wide.');
    };
    const { run } = await stage.services.launch.start({
      template,
      prompts: {},
      actor: null,
      authority: null,
      origin: { kind: 'schedule', id: 7, client_ip: null },
      waiting: false,
    });
    expect((await stage.get(`jobs/${run.id}/`)).body.job_explanation).to.equal('Launch refused.\nlimit: Too wide.');
    const { results } = (await stage.get(`jobs/${run.id}/activity_stream/`)).body;
    expect(results).to.have.length(1);
    expect(results[0].changes).to.deep.include({
      status: 400,
      reasons: ['limit: Too wide.'],
      launch_type: 'scheduled',
    });
    expect(results[0].summary_fields).to.have.keys('job', 'job_template');
  });

  it('keeps a refusal out of an activity stream that is off', async () => {
    decide = () => ({ status: 403, body: { detail: 'no' } });
    const count = async () => (await stage.get('activity_stream/?changes__icontains=launch_denied')).body.count;
    await stage.request('PATCH', 'settings/system/', { body: { ACTIVITY_STREAM_ENABLED: false } });
    const before = await count();
    expect((await stage.post(`job_templates/${template}/launch/`)).status).to.equal(403);
    expect(await count()).to.equal(before);
    await stage.request('PATCH', 'settings/system/', { body: { ACTIVITY_STREAM_ENABLED: true } });
    await stage.post(`job_templates/${template}/launch/`);
    expect(await count()).to.equal(before + 1);
  });

  it('keeps a launch that cannot start as failed where nobody waits', async () => {
    decide = () => undefined;
    const { run } = await stage.services.launch.start({
      template,
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
