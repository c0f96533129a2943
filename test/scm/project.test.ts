import { expect } from 'chai';
import { existsSync, mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openUrl } from '../../core/secrets/url-secret.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { play, SourceRepository } from './repository.ts';

describe('projects', function () {
  let service: TestService;
  let source: SourceRepository;
  let revision: string;

  before(async () => {
    source = new SourceRepository();
    revision = source.commit({
      'site.yml': play,
      'Zoo.yml': play,
      'sub/deep.yaml': '---\n- import_playbook: ../site.yml\n',
      'secret.yml': '$ANSIBLE_VAULT;1.1;AES256\n3030\n',
      'roles/r/tasks/main.yml': '- hosts: no\n',
      'tasks/x.yml': play,
      '.hidden/x.yml': play,
      'vars.yml': 'a: 1\n',
      'inventory.ini': '[web]\nh\n',
      'group_vars/all.yml': play,
    });
    service = await startService({ TAPLINE_PROJECT_FILE_URLS: dirname(source.folder) });
  });
  after(() => service.stop());

  const ended = async (id: number) =>
    until(async () => {
      const { body } = await service.get(`project_updates/${id}/`);
      return body.finished ? body : undefined;
    });
  const create = async (body: object) =>
    service.post('projects/', { name: `p${Math.random()}`, scm_type: 'git', scm_url: source.url, ...body });

  it('starts the first update with the project and shows it in the answer', async () => {
    const { status, body } = await create({ name: 'first', local_path: '_9__chosen_by_another_service' });
    expect(status).to.equal(201);
    const update = body.summary_fields.current_update;
    expect(body.related.current_update).to.equal(`/api/v2/project_updates/${update.id}/`);
    expect(body.local_path).to.equal(`_${body.id}__first`);
    const finished = await ended(update.id);
    expect(finished.status, finished.job_explanation).to.equal('successful');
    expect(finished.scm_revision).to.equal(revision);
    const { body: project } = await service.get(`projects/${body.id}/`);
    expect(project).to.include({ status: 'successful', scm_revision: revision, last_update_failed: false });
    expect(project.summary_fields.current_update).to.equal(undefined);
    expect((await service.get(`projects/${body.id}/playbooks/`)).body).to.deep.equal([
      'secret.yml',
      'site.yml',
      'sub/deep.yaml',
      'Zoo.yml',
    ]);
    expect((await service.get(`projects/${body.id}/inventories/`)).body).to.include('inventory.ini');
    const { body: text } = await service.get(`project_updates/${update.id}/stdout/?format=txt`);
    expect(text).to.contain(`Revision ${revision}`);
  });

  it('fetches only what is new, follows branches, tags and commits, and runs what it fetched', async () => {
    source.git('checkout', '-q', '-b', 'other');
    const other = source.commit({ 'other.yml': play });
    source.git('tag', 'v1');
    source.git('checkout', '-q', 'main');
    const next = source.commit({ 'new.yml': play });
    const { body: project } = await create({});
    await ended(project.summary_fields.current_update.id);
    for (const [branch, expected] of [
      ['other', other],
      ['v1', other],
      [revision, revision],
      ['', next],
    ] as const) {
      const { body } = await service.request('PATCH', `projects/${project.id}/`, { body: { scm_branch: branch } });
      const finished = await ended(body.summary_fields.current_update.id);
      expect(finished.status, finished.job_explanation).to.equal('successful');
      expect(finished.scm_revision).to.equal(expected);
    }
  });

  it('answers update with 202, can_update, and ends a failing one as failed', async () => {
    const { body: project } = await create({});
    await ended(project.summary_fields.current_update.id);
    expect((await service.get(`projects/${project.id}/update/`)).body).to.deep.equal({ can_update: true });
    const { status, body, headers } = await service.post(`projects/${project.id}/update/`);
    expect(status).to.equal(202);
    expect(headers.get('location')).to.equal(`/api/v2/project_updates/${body.project_update}/`);
    expect((await ended(body.id)).status).to.equal('successful');
    const { body: changed } = await service.request('PATCH', `projects/${project.id}/`, {
      body: { scm_branch: 'no-such-branch' },
    });
    const failed = await ended(changed.summary_fields.current_update.id);
    expect(failed.status).to.equal('failed');
    expect(failed.job_explanation).to.equal('There is no branch, tag or commit "no-such-branch".');
    expect((await service.get(`projects/${project.id}/`)).body).to.include({
      status: 'failed',
      last_update_failed: true,
    });
  });

  it('says why a source cannot be fetched', async () => {
    const gone = `${source.url}-gone`;
    for (const [url, said] of [
      [gone, /^The project cannot be updated: there is no folder .*-gone on this node\.$/],
      ['http://127.0.0.1:1/x.git', /^The source could not be fetched: unable to access .* Check the URL and the cred/],
    ] as const) {
      const { body } = await create({ scm_url: url });
      const { job_explanation } = await ended(body.summary_fields.current_update.id);
      expect(job_explanation).to.match(said);
    }
  });

  it('refuses sources that it could never fetch', async () => {
    const refused: [object, string, RegExp][] = [
      [{ scm_type: 'hg', scm_url: 'https://a.example/x' }, 'scm_type', /"hg" is not a valid choice/],
    ];
    for (const [body, key, said] of refused) {
      const answer = await create(body);
      expect(answer.status, JSON.stringify(body)).to.equal(400);
      expect(answer.body[key][0]).to.match(said);
    }
  });

  it('refuses hostile sources', async () => {
    const refused: [object, string][] = [
      [{ scm_url: 'ext::sh -c id' }, 'scm_url'],
      [{ scm_url: '--upload-pack=x' }, 'scm_url'],
      [{ scm_url: 'file:///etc' }, 'scm_url'],
      [{ scm_url: '' }, 'scm_url'],
      [{ scm_branch: '--x' }, 'scm_branch'],
      [{ scm_refspec: '-x' }, 'scm_refspec'],
      [{ scm_type: 'archive', scm_url: 'https://a.example/x.tgz', scm_branch: 'b' }, 'scm_branch'],
    ];
    for (const [body, key] of refused) {
      const answer = await create(body);
      expect(answer.status, JSON.stringify(body)).to.equal(400);
      expect(answer.body).to.have.property(key);
    }
  });

  it('never shows the password of a URL', async () => {
    const { body } = await create({ scm_url: 'https://bob:hunter2@localhost:1/x.git' });
    expect(body.scm_url).to.equal('https://bob:$encrypted$@localhost:1/x.git');
    const update = await ended(body.summary_fields.current_update.id);
    expect(update.status).to.equal('failed');
    const { body: text } = await service.get(`project_updates/${update.id}/stdout/?format=txt`);
    expect(text + JSON.stringify(update)).not.to.contain('hunter2');
    const kept = await service.request('PATCH', `projects/${body.id}/`, {
      body: { scm_url: body.scm_url, description: 'x' },
    });
    expect(kept.status).to.equal(200);
    const { db, keyRing } = service.services;
    const { scm_url: stored } = await db('templates').where({ id: body.id }).first('scm_url');
    expect(openUrl(keyRing, stored)).to.equal('https://bob:hunter2@localhost:1/x.git');
  });

  it('offers unused folders to manual projects and reads their playbooks as they are', async () => {
    const folder = join(service.dataDir, 'projects', 'mine');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'a.yml'), play);
    const offered = async () => (await service.get('config/')).body.project_local_paths;
    expect(await offered()).to.deep.equal(['mine']);
    const bad = await service.post('projects/', { name: 'manual', local_path: '../x' });
    expect(bad.status).to.equal(400);
    const { status, body } = await service.post('projects/', { name: 'manual', local_path: 'mine' });
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(body).to.include({ scm_type: '', status: 'ok', scm_revision: '' });
    expect((await service.get(`projects/${body.id}/playbooks/`)).body).to.deep.equal(['a.yml']);
    expect((await service.get(`projects/${body.id}/update/`)).body).to.deep.equal({ can_update: false });
    expect((await service.post(`projects/${body.id}/update/`)).status).to.equal(405);
    expect((await service.post('projects/', { name: 'second', local_path: 'mine' })).status).to.equal(400);
    utimesSync(folder, 1_700_000_000, 1_700_000_000);
    const shown = async () => (await service.get(`projects/${body.id}/`)).body;
    expect(await shown()).to.include({ status: 'ok', last_updated: '2023-11-14T22:13:20.000Z' });
    renameSync(folder, `${folder}-gone`);
    expect(await shown()).to.include({ status: 'missing', last_updated: null });
    renameSync(`${folder}-gone`, folder);
  });

  it('removes what was fetched with the project', async () => {
    const { body: project } = await create({});
    await ended(project.summary_fields.current_update.id);
    const cache = join(service.dataDir, 'projects', `${project.id}.git`);
    expect(existsSync(cache)).to.equal(true);
    expect((await service.request('DELETE', `projects/${project.id}/`)).status).to.equal(204);
    expect(existsSync(cache)).to.equal(false);
  });
});
