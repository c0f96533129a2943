import { expect } from 'chai';
import { symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SourceRepository } from '../scm/repository.ts';
import { until } from '../support/until.ts';
import { type Stage, startStage } from './fixture.ts';

const say = (text: string) => `- hosts: good\n  gather_facts: false\n  tasks:\n    - debug: {msg: "${text}"}\n`;

describe('jobs of a git project', function () {
  let stage: Stage;
  let source: SourceRepository;
  let project: number;

  before(async () => {
    source = new SourceRepository();
    source.commit({ 'site.yml': say('version one') });
    symlinkSync('/etc/passwd', join(source.folder, 'link.yml'));
    source.commit({});
    stage = await startStage({ TAPLINE_PROJECT_FILE_URLS: dirname(source.folder) });
    const { body } = await stage.post('projects/', {
      name: 'git',
      scm_type: 'git',
      scm_url: source.url,
      allow_override: true,
      scm_update_on_launch: true,
    });
    project = body.id;
    await until(async () => (await stage.get(`projects/${project}/`)).body.status === 'successful', 30_000);
  });
  after(() => stage.stop());

  const output = async (job: number) => (await stage.get(`jobs/${job}/stdout/?format=txt`)).body;

  it('runs what the source holds now, after an update of its own', async () => {
    const revision = source.commit({ 'site.yml': say('version two') });
    const template = await stage.template({ project, playbook: 'site.yml' });
    const job = await stage.launch(template);
    const ended = await stage.ended(job.id);
    expect(ended.status, ended.job_explanation).to.equal('successful');
    expect(ended.scm_revision).to.equal(revision);
    expect(await output(job.id)).to.contain('version two');
    const { body: update } = await stage.get(ended.related.project_update.replace('/api/v2/', ''));
    expect(update).to.include({ launch_type: 'dependency', status: 'successful', scm_revision: revision });
    expect(update.launched_by.type).to.equal('Dependency');
    expect(ended.summary_fields.project_update.id).to.equal(update.id);
  });

  it('takes no second update while the last one is fresh', async () => {
    await stage.request('PATCH', `projects/${project}/`, { body: { scm_update_cache_timeout: 3600 } });
    const count = async () => (await stage.get(`projects/${project}/project_updates/`)).body.count;
    const before = await count();
    const job = await stage.launch(await stage.template({ project, playbook: 'site.yml' }));
    await stage.ended(job.id);
    expect(await count()).to.equal(before);
    await stage.request('PATCH', `projects/${project}/`, { body: { scm_update_cache_timeout: 0 } });
  });

  it('runs another branch where the template lets it', async () => {
    source.git('checkout', '-q', '-b', 'topic');
    const revision = source.commit({ 'site.yml': say('from the topic') });
    source.git('checkout', '-q', 'main');
    const template = await stage.template({ project, playbook: 'site.yml', ask_scm_branch_on_launch: true });
    const job = await stage.launch(template, { scm_branch: 'topic' });
    const ended = await stage.ended(job.id);
    expect(ended.status, ended.job_explanation).to.equal('successful');
    expect(ended).to.include({ scm_branch: 'topic', scm_revision: revision });
    expect(await output(job.id)).to.contain('from the topic');
    const lost = await stage.ended((await stage.launch(template, { scm_branch: 'nowhere' })).id);
    expect(lost.status).to.equal('failed');
    expect(lost.job_explanation).to.contain('nowhere');
  });

  it('refuses a playbook that leads out of the checkout through a link', async () => {
    const job = await stage.launch(await stage.template({ project, playbook: 'link.yml' }));
    const ended = await stage.ended(job.id);
    expect(ended.status).to.equal('failed');
    expect(await output(job.id)).not.to.contain('root:');
  });

  it('fails with the update that it needs', async () => {
    const { body } = await stage.request('PATCH', `projects/${project}/`, { body: { scm_branch: 'gone' } });
    await until(
      async () => (await stage.get(`project_updates/${body.summary_fields.current_update.id}/`)).body.finished,
      30_000,
    );
    const ended = await stage.ended((await stage.launch(await stage.template({ project, playbook: 'site.yml' }))).id);
    expect(ended.status).to.equal('failed');
    const [, json] = /^Previous Task Failed: (\{.*\})$/.exec(ended.job_explanation)!;
    expect(JSON.parse(json!)).to.include({ job_type: 'project_update', job_name: 'git' });
  });
});

describe('two launches at once', function () {
  let stage: Stage;
  before(async () => (stage = await startStage()));
  after(() => stage.stop());

  it('run one after the other unless the template lets them overlap', async () => {
    const template = await stage.template();
    const jobs = await Promise.all([1, 2, 3].map(() => stage.launch(template)));
    const ended = await Promise.all(jobs.map((job) => stage.ended(job.id)));
    const [first, second, third] = ended.toSorted((a, b) => (a.started < b.started ? -1 : 1));
    for (const [earlier, later] of [
      [first, second],
      [second, third],
    ])
      expect(earlier.finished <= later.started).to.equal(true);
    expect(ended.map((job) => job.status)).to.deep.equal(['successful', 'successful', 'successful']);
  });
});
