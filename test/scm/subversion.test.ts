import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../demo/free-port.ts';
import { offeredTypes, subversionProblems } from '../../core/run-kinds/project-update/subversion.ts';
import { cachePath } from '../../core/scm/cache.ts';
import { describeWith } from '../support/needs.ts';
import { startService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { play } from './repository.ts';

const password = 'canary-svn';

/** A repository that svnserve shows to ann alone, and its working copy. */
async function startRepository() {
  const folder = temporaryFolder('svn');
  chmodSync(folder, 0o755);
  const [repository, copy] = [join(folder, 'repo'), join(folder, 'copy')];
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  run('svnadmin', 'create', repository);
  const conf = (name: string, text: string) => writeFileSync(join(repository, 'conf', name), text);
  conf('svnserve.conf', '[general]\nanon-access = none\nauth-access = read\npassword-db = passwd\nrealm = tests\n');
  conf('passwd', `[users]\nann = ${password}\n`);
  run('svn', 'mkdir', '-q', '-m', 'm', `file://${repository}/trunk`);
  run('svn', 'checkout', '-q', `file://${repository}/trunk`, copy);
  const port = await freePort();
  const listen = ['--foreground', '--daemon', '--listen-host', '127.0.0.1', '--listen-port', String(port)];
  const server = spawn('svnserve', [...listen, '--root', folder], { stdio: 'ignore' });
  return {
    folder: copy,
    file: `file://${repository}/trunk`,
    url: `svn://127.0.0.1:${port}/repo/trunk`,
    svn: (...args: string[]) => run('svn', ...args),
    commit(files: Record<string, string>): void {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(copy, name)), { recursive: true });
        writeFileSync(join(copy, name), text);
      }
      run('svn', 'update', '-q', '--ignore-externals', copy);
      run('svn', 'add', '-q', '--force', copy);
      run('svn', 'commit', '-q', '-m', 'm', copy);
    },
    async stop(): Promise<void> {
      server.kill();
      await once(server, 'close');
    },
  };
}

describe('sources of Subversion', () => {
  it('are offered, and taken for new projects, where there is a client', () => {
    const types = (there: boolean) => offeredTypes(there).choices.map(([type]) => type);
    expect([types(true), types(false)]).to.deep.equal([
      ['', 'git', 'svn', 'archive'],
      ['', 'git', 'archive'],
    ]);
    const svn = { scm_type: 'svn' };
    expect(subversionProblems(svn, undefined, false)).to.deep.equal({
      scm_type: 'There is no client for Subversion on this node (Debian has it in the package subversion).',
    });
    expect([
      subversionProblems(svn, undefined, true),
      subversionProblems(svn, svn, false),
      subversionProblems({ scm_type: 'git', scm_branch: 'x' }, undefined, false),
    ]).to.deep.equal([{}, {}, {}]);
  });
});

describeWith(['svn', 'svnserve', 'svnadmin'], 'projects from Subversion', function () {
  let repository: Awaited<ReturnType<typeof startRepository>>;
  let service: TestService;
  let credential: number;
  let made = 0;
  before(async () => {
    repository = await startRepository();
    repository.commit({ 'site.yml': play, 'roles/r/tasks/main.yml': '[]\n', 'run.sh': '#!/bin/sh\n' });
    service = await startService({ TAPLINE_PROJECT_FILE_URLS: dirname(repository.file.slice('file://'.length)) });
    const { results } = (await service.get('credential_types/?namespace=scm')).body;
    credential = await login({ username: 'ann', password }, results[0].id);
  });
  after(async () => {
    await service?.stop();
    await repository?.stop();
  });

  const login = async (inputs: object, credential_type: number): Promise<number> => {
    const body = { name: `c${(made += 1)}`, organization: 1, credential_type, inputs };
    return (await service.post('credentials/', body)).body.id;
  };
  const create = (body: object) =>
    service.post('projects/', { name: `p${(made += 1)}`, organization: 1, scm_type: 'svn', ...body });
  const ended = (id: number) =>
    until(async () => {
      const { body } = await service.get(`project_updates/${id}/`);
      return body.finished ? body : undefined;
    }, 60_000);
  const first = async (body: object) => {
    const answer = await create(body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return ended(answer.body.summary_fields.current_update.id);
  };
  const again = async (project: number) =>
    ended((await service.post(`projects/${project}/update/`)).body.project_update);
  const playbooks = async (project: number) => (await service.get(`projects/${project}/playbooks/`)).body;

  it('are exported with the login of their credential, and updated', async () => {
    const update = await first({ scm_url: repository.url, credential });
    expect(update.status, update.job_explanation).to.equal('successful');
    expect(update.scm_revision).to.match(/^[0-9a-f]{40}$/);
    const { text } = await service.get(`project_updates/${update.id}/stdout/?format=txt`);
    expect(text).to.include('Exporting revision 2').and.not.to.include('canary');
    expect(await playbooks(update.project)).to.deep.equal(['site.yml']);
    expect((await again(update.project)).scm_revision).to.equal(update.scm_revision);
    repository.commit({ 'second.yml': play });
    const next = await again(update.project);
    expect([next.status, next.scm_revision === update.scm_revision]).to.deep.equal(['successful', false]);
    expect(await playbooks(update.project)).to.deep.equal(['second.yml', 'site.yml']);
  });

  it('are run by jobs', async () => {
    const { project, status, job_explanation } = await first({ scm_url: repository.file });
    expect(status, job_explanation).to.equal('successful');
    const inventory = (await service.post('inventories/', { name: 'i', organization: 1 })).body.id;
    await service.post('hosts/', { name: 'one', inventory, variables: 'ansible_connection: local' });
    const template = await service.post('job_templates/', { name: 't', project, playbook: 'site.yml', inventory });
    const { body } = await service.post(`job_templates/${template.body.id}/launch/`);
    const job = await until(async () => {
      const shown = (await service.get(`jobs/${body.id}/`)).body;
      return shown.finished ? shown : undefined;
    }, 60_000);
    expect(job.status, job.job_explanation).to.equal('successful');
  });

  it('are what a revision had, where one is named', async () => {
    const { project, status, job_explanation } = await first({ scm_url: repository.file, scm_branch: '2' });
    expect([status, await playbooks(project)], job_explanation).to.deep.equal(['successful', ['site.yml']]);
    const gone = await first({ scm_url: repository.file, scm_branch: '999' });
    expect(gone.job_explanation).to.equal('The source could not be exported: No such revision 999.');
    for (const [key, body] of Object.entries({
      scm_branch: { scm_branch: 'trunk' },
      allow_override: { allow_override: true },
      scm_refspec: { scm_refspec: 'refs/x' },
      scm_track_submodules: { scm_track_submodules: true },
      scm_url: { scm_url: 'svn+ssh://a.example/x' },
    })) {
      const answer = await create({ scm_url: repository.file, ...body });
      expect([answer.status, Object.keys(answer.body)]).to.deep.equal([400, [key]]);
    }
  });

  it('are explained where they cannot be had', async () => {
    const explained = async (body: object) => (await first(body)).job_explanation;
    expect(await explained({ scm_url: repository.url })).to.equal(
      "The source could not be exported: Can't get username or password.",
    );
    const { results } = (await service.get('credential_types/?namespace=scm')).body;
    const wrong = await login({ username: 'ann', password: 'canary-wrong' }, results[0].id);
    const refused = await explained({ scm_url: repository.url, credential: wrong });
    expect(refused)
      .to.match(/^The source could not be exported: .+\.$/)
      .and.not.to.include('canary');
    expect(await explained({ scm_url: `${repository.file}/none` })).to.match(/^The source could not be exported: /);
    expect(await explained({ scm_url: `${repository.file}/site.yml` })).to.equal(
      'The source could not be exported: its address is that of a file, not of a folder.',
    );
  });

  it('bring nothing from elsewhere, and links as links', async () => {
    repository.svn('update', '-q', repository.folder);
    repository.svn('propset', '-q', 'svn:externals', `${repository.file}/roles more`, repository.folder);
    repository.svn('propset', '-q', 'svn:executable', '*', join(repository.folder, 'run.sh'));
    symlinkSync('/etc/passwd', join(repository.folder, 'out'));
    repository.commit({ 'third.yml': play });
    const { status, project } = await first({ scm_url: repository.file });
    expect(status).to.equal('successful');
    expect(await playbooks(project)).to.deep.equal(['second.yml', 'site.yml', 'third.yml']);
    const cache = cachePath(service.dataDir, project);
    const tree = execFileSync('git', ['--git-dir', cache, 'ls-tree', '-r', 'refs/tapline/head'], { encoding: 'utf8' });
    expect(tree.match(/^\d+ .*(run\.sh|out|more.*)$/gm)!.map((line) => line.slice(0, 6))).to.deep.equal([
      '120000',
      '100755',
    ]);
  });

  it('are not followed to another server, which would be shown the login', async () => {
    const asked: IncomingMessage[] = [];
    const listening = async (server: Server) => {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    };
    const stranger = createServer((request, response) => {
      asked.push(request);
      response.writeHead(401, { 'www-authenticate': 'Basic realm="theirs"' }).end();
    });
    const theirs = await listening(stranger);
    const own = createServer(({ url, headers }, response) =>
      url === '/closed' && !headers.authorization
        ? response.writeHead(401, { 'www-authenticate': 'Basic realm="own"' }).end()
        : response.writeHead(301, { location: `${theirs}/x` }).end(),
    );
    try {
      const address = await listening(own);
      for (const path of ['open', 'closed']) {
        const { job_explanation } = await first({ scm_url: `${address}/${path}`, credential });
        expect(job_explanation).to.equal(`The source could not be exported: its server leads on to ${theirs}.`);
      }
      expect(asked).to.deep.equal([]);
    } finally {
      for (const server of [own, stranger]) server.close();
    }
  });
});
