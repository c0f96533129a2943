import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { SourceRepository } from './repository.ts';

const shows = (path: string) =>
  `- hosts: all\n  gather_facts: false\n  tasks:\n    - debug: { msg: "{{ lookup('file', '${path}') }}" }\n`;

describe('projects with submodules', function () {
  let service: TestService;
  let base: string;
  const repositories: Record<string, SourceRepository> = {};

  const repository = (name: string): SourceRepository => {
    mkdirSync(join(base, name), { mode: 0o755 });
    return (repositories[name] = new SourceRepository(join(base, name)));
  };
  const add = (into: SourceRepository, url: string, path: string) =>
    into.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', '--', url, path);

  before(async () => {
    base = temporaryFolder('modules');
    chmodSync(base, 0o755);
    const inner = repository('inner');
    inner.commit({ 'word.txt': 'inner one' });
    const library = repository('library');
    library.commit({ 'word.txt': 'library one', 'own.yml': shows('x'), 'roles/r/own.yml': shows('x') });
    add(library, '../../inner/repo', 'deep/inner');
    library.commit({});
    const main = repository('main');
    main.commit({ 'site.yml': shows('vendor/lib/word.txt'), 'deep.yml': shows('vendor/lib/deep/inner/word.txt') });
    add(main, '../../library/repo', 'vendor/lib');
    main.commit({});
    service = await startService({ TAPLINE_PROJECT_FILE_URLS: base });
  });
  after(() => service?.stop());

  const ended = (path: string) =>
    until(async () => {
      const { body } = await service.get(path);
      return body.finished && body.event_processing_finished !== false ? body : undefined;
    }, 60_000);
  const update = async (project: number) => {
    const { body } = await service.post(`projects/${project}/update/`);
    return ended(`project_updates/${body.id}/`);
  };
  const create = async (url: string, more: object = {}) => {
    const { body } = await service.post('projects/', {
      name: `p${Math.random()}`,
      organization: 1,
      scm_type: 'git',
      scm_url: url,
      ...more,
    });
    return { id: body.id as number, update: await ended(`project_updates/${body.summary_fields.current_update.id}/`) };
  };
  let inventory: number;
  const said = async (project: number, playbook = 'site.yml') => {
    inventory ??= (await service.post('inventories/', { name: 'i', organization: 1 })).body.id;
    const variables = 'ansible_connection: local\nansible_python_interpreter: "{{ ansible_playbook_python }}"';
    await service.post('hosts/', { name: 'here', inventory, variables });
    const template = await service.post('job_templates/', { name: `t${Math.random()}`, project, inventory, playbook });
    const { status, body } = await service.post(`job_templates/${template.body.id}/launch/`);
    expect(status, JSON.stringify([template.body, body])).to.equal(201);
    const job = await ended(`jobs/${body.id}/`);
    return `${job.status} ${(await service.get(`jobs/${body.id}/stdout/?format=txt`)).text}`;
  };

  it('fetch them with theirs, as recorded, and jobs see them', async () => {
    const { id, update: first } = await create(repositories.main!.url);
    expect(first.status, first.job_explanation).to.equal('successful');
    expect((await service.get(`projects/${id}/playbooks/`)).body).to.deep.equal([
      'deep.yml',
      'site.yml',
      'vendor/lib/own.yml',
    ]);
    repositories.library!.commit({ 'word.txt': 'library two' });
    expect((await update(id)).status).to.equal('successful');
    expect(await said(id))
      .to.match(/^successful/)
      .and.include('library one');
    expect(await said(id, 'deep.yml'))
      .to.match(/^successful/)
      .and.include('inner one');
  });

  it('follow their branches where that is asked', async () => {
    const { id } = await create(repositories.main!.url, { scm_track_submodules: true });
    expect(await said(id)).to.include('library two');
    repositories.library!.commit({ 'word.txt': 'library three' });
    expect((await update(id)).status).to.equal('successful');
    expect(await said(id)).to.include('library three');
    await service.request('PATCH', `projects/${id}/`, { body: { scm_track_submodules: false } });
    expect((await update(id)).status).to.equal('successful');
    expect(await said(id)).to.include('library one');
  });

  it('say which one could not be fetched, and leave the project as it was', async () => {
    const broken = repository('broken');
    broken.commit({ 'site.yml': shows('x') });
    add(broken, '../../inner/repo', 'part');
    broken.git('config', '--file', '.gitmodules', 'submodule.part.url', 'file:///etc');
    broken.commit({});
    const outside = (await create(broken.url)).update;
    expect([outside.status, outside.job_explanation]).to.deep.equal([
      'failed',
      'The submodule "part" could not be fetched: file:// addresses are only possible below the folders of the setting PROJECT_FILE_URLS.',
    ]);
    for (const [url, reason] of [
      ['../../../../../../../x', /above the source|could not be fetched/],
      ['ext::sh -c id', /of no known form/],
      ['--upload-pack=id', /of no known form/],
      [`file://${base}/gone/repo`, /there is no commit/],
    ] as const) {
      broken.git('config', '--file', '.gitmodules', 'submodule.part.url', url);
      broken.commit({});
      const { update: failed } = await create(broken.url);
      expect(failed.status, url).to.equal('failed');
      expect(failed.job_explanation)
        .to.match(/^The submodule "part" could not be fetched/)
        .and.match(reason);
    }
    const named = repository('named');
    named.commit({ a: 'b' });
    add(named, '../../inner/repo', 'part');
    named.git('config', '--file', '.gitmodules', '--rename-section', 'submodule.part', 'submodule.../../evil');
    named.commit({});
    expect((await create(named.url)).update.job_explanation).to.match(/its name is none that can be a folder/);
  });
});
