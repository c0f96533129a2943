import { ApiError } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { dirname } from 'node:path';
import { type Stage, startStage } from '../launch/fixture.ts';
import { SourceRepository } from '../scm/repository.ts';
import { testPlugin } from '../support/plugins.ts';
import { until } from '../support/until.ts';

describe('hooks of project updates', function () {
  let stage: Stage;
  let source: SourceRepository;
  let open = true;
  const asked: any[] = [];
  const guarded: string[] = [];

  before(async () => {
    source = new SourceRepository();
    source.commit({ 'site.yml': '- hosts: all\n  gather_facts: false\n  tasks:\n    - debug: {msg: hello}\n' });
    const plugin = testPlugin('sources', (api) => {
      for (const operation of ['create', 'update', 'delete'] as const)
        for (const type of ['project', 'project_update'])
          api.guard(type, operation, () => {
            guarded.push(`${operation} ${type}`);
            if (operation === 'delete' && !open) throw new ApiError(409, 'It is still needed.');
          });
      api.hooks.beforeStart({ name: 'window', failMode: 'deny' }, (launch) => {
        if (launch.run['kind'] !== 'project_update') return undefined;
        asked.push(launch);
        launch.explain('looked at');
        return open ? undefined : { status: 403, body: { detail: 'No fetching now.' } };
      });
    });
    stage = await startStage({ TAPLINE_PROJECT_FILE_URLS: dirname(source.folder) }, [plugin]);
  });
  after(() => stage.stop());
  beforeEach(() => (open = true));

  const create = async (body: object = {}) => {
    const project = { name: `p${Math.random()}`, organization: 1, scm_type: 'git', scm_url: source.url, ...body };
    const answer = await stage.post('projects/', project);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body;
  };
  const updates = async (project: number) =>
    (await stage.get(`projects/${project}/project_updates/?order_by=id`)).body.results as any[];
  const ended = (project: number, count: number) =>
    until(async () => {
      const all = await updates(project);
      return all.length === count && all.every(({ finished }) => finished) ? all : undefined;
    });

  it('are asked about the update that a new project begins with, and keep it as failed where they refuse it', async () => {
    const { id, summary_fields: shown } = await create();
    expect(shown.current_update).to.include({ status: 'pending' });
    const [update] = await ended(id, 1);
    expect(update).to.include({ status: 'successful', job_explanation: 'looked at' });
    const { uses, origin, actor } = asked.at(-1);
    expect([uses.project.id, origin.kind, actor.username]).to.deep.equal([id, 'api', 'admin']);

    open = false;
    const refused = await create();
    expect((await updates(refused.id))[0]).to.include({
      status: 'failed',
      job_explanation: 'looked at\nNo fetching now.',
    });
    expect((await stage.get(`projects/${refused.id}/`)).body).to.include({ status: 'failed' });
  });

  it('answer whoever asks for an update', async () => {
    const { id } = await create();
    await ended(id, 1);
    open = false;
    const answer = await stage.post(`projects/${id}/update/`);
    expect([answer.status, answer.body]).to.deep.equal([403, { detail: 'No fetching now.' }]);
    expect(await updates(id)).to.have.length(1);
    open = true;
    expect((await stage.post(`projects/${id}/update/`)).status).to.equal(202);
    await ended(id, 2);
  });

  it('are asked about the update that a job needs, and take the job along', async () => {
    const { id } = await create();
    await ended(id, 1);
    await stage.request('PATCH', `projects/${id}/`, { body: { scm_update_on_launch: true } });
    const template = await stage.template({ project: id, playbook: 'site.yml' });
    const job = await stage.ended((await stage.launch(template)).id);
    expect(job.status, job.job_explanation).to.equal('successful');
    expect(job.summary_fields.project_update.id).to.equal((await updates(id))[1].id);
    expect(asked.at(-1).origin).to.deep.include({ kind: 'dependency', id: job.id });
    open = false;
    const refused = await stage.ended((await stage.launch(template)).id);
    expect(refused.status).to.equal('failed');
    expect(refused.job_explanation).to.match(/^Previous Task Failed: \{"job_type":"project_update"/);
  });

  it('decide about its start, and guards about what callers write around it: the project, and the end of its record', async () => {
    guarded.length = 0;
    const { id } = await create();
    await stage.post(`projects/${id}/update/`);
    const [first] = await ended(id, 2);
    // what updates note in the project and in themselves is no caller's write
    expect(guarded).to.deep.equal(['create project']);
    open = false;
    const answer = await stage.request('DELETE', `project_updates/${first.id}/`);
    expect([answer.status, answer.body]).to.deep.equal([409, { detail: 'It is still needed.' }]);
    open = true;
    expect((await stage.request('DELETE', `project_updates/${first.id}/`)).status).to.equal(204);
    expect(guarded).to.deep.equal(['create project', 'delete project_update', 'delete project_update']);
  });
});
