import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { basic } from '../../core/testing/client.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { play } from './repository.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const program = join(root, 'core/run-kinds/project-update/archive.py');
const python = join(root, '.tools/engine/bin/python');
const login = basic('ann', 'canary-archive');

interface Entry {
  name: string;
  text?: string;
  size?: number;
  link?: string;
  hard?: string;
  device?: true;
  executable?: true;
}

interface Options {
  bytes?: number;
  files?: number;
  user?: string;
}

describe('projects from archives', function () {
  let folder: string;
  let server: Server;
  let stranger: Server;
  let url: string;
  let elsewhere: string;
  const asked: IncomingMessage[] = [];

  const listening = async (one: Server): Promise<string> => {
    one.listen(0, '127.0.0.1');
    await once(one, 'listening');
    return `http://127.0.0.1:${(one.address() as AddressInfo).port}/`;
  };
  const redirects: Record<string, () => string> = {
    '/moved': () => `${elsewhere}open.zip`,
    '/round': () => '/round',
    '/file': () => 'file:///etc/passwd',
  };
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tapline-archives-'));
    server = createServer((request, response) => {
      asked.push(request);
      const path = request.url!;
      if (redirects[path]) return response.writeHead(302, { location: redirects[path]() }).end();
      if (path.startsWith('/closed/') && request.headers.authorization !== login) return response.writeHead(401).end();
      const file = join(folder, path.split('/').at(-1)!);
      return existsSync(file) ? response.end(readFileSync(file)) : response.writeHead(404).end();
    });
    stranger = createServer((request, response) => {
      asked.push(request);
      response.end(readFileSync(join(folder, 'open.zip')));
    });
    [url, elsewhere] = [await listening(server), await listening(stranger)];
    make('open.zip', [{ name: 'site.yml', text: play }]);
  });
  after(async () => {
    for (const one of [server, stranger]) {
      one?.closeAllConnections();
      one?.close();
    }
    removeFolder(folder);
  });

  const make = (name: string, entries: Entry[]) =>
    execFileSync(python, [join(import.meta.dirname, 'make-archive.py'), join(folder, name)], {
      input: JSON.stringify(entries),
    });

  /** The program as update.sh runs it, in a workspace of its own: what it said, or the files of its commit. */
  async function unpacked(path: string, { bytes = 0, files = 0, user = '' }: Options = {}) {
    const work = mkdtempSync(join(folder, 'work-'));
    mkdirSync(join(work, 'env'));
    const [username = '', password = ''] = user.split(':');
    writeFileSync(join(work, 'env/scm_username'), username);
    writeFileSync(join(work, 'env/scm_password'), password);
    const env = { PATH: process.env['PATH']!, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
    const git = (...args: string[]) =>
      execFileSync('git', ['--git-dir', 'repo.git', ...args], { cwd: work, env, encoding: 'utf8' }).trim();
    git('init', '-q', '--bare');
    const address = path.includes('://') ? path : url + path;
    const given = { ...env, SCM_URL: address, SCM_MOST_BYTES: String(bytes), SCM_MOST_FILES: String(files) };
    const { promise, resolve } = Promise.withResolvers<string>();
    // of this process are the servers, too: it must not wait for the program
    execFile(python, [program], { cwd: work, env: given }, (_error, stdout) => resolve(stdout.trim()));
    const said = await promise;
    expect(existsSync(join(work, 'evil')) || existsSync(join(folder, 'evil'))).to.equal(false);
    return {
      said,
      revision: () => git('rev-parse', 'refs/tapline/head'),
      tree: () => git('ls-tree', '-r', 'refs/tapline/head'),
      git,
    };
  }
  const refused = async (name: string, entries: Entry[], options?: Options) => {
    make(name, entries);
    return (await unpacked(name, options)).said;
  };

  it('are taken over as they are, without the one folder around it, and always as the same commit', async () => {
    const entries: Entry[] = [
      { name: 'p-1.0/site.yml', text: 'a\r\n' },
      { name: 'p-1.0/run.sh', text: 'x', executable: true },
      { name: 'p-1.0/.gitattributes', text: '* text=auto\n' },
      { name: 'p-1.0/ö b/inner', text: '' },
      { name: 'p-1.0/.git/config', text: 'evil' },
    ];
    make('one.tar.gz', [
      ...entries,
      { name: 'p-1.0/same', link: 'site.yml' },
      { name: 'p-1.0/hard', hard: 'p-1.0/site.yml' },
    ]);
    const tar = await unpacked('one.tar.gz');
    expect(tar.said).to.equal('');
    const files = tar
      .tree()
      .split('\n')
      .map((line) => line.replace(/ blob \w+\t/, ' '));
    expect(files).to.have.members([
      '100644 .gitattributes',
      '100644 hard',
      '100755 run.sh',
      '120000 same',
      '100644 site.yml',
      '100644 "\\303\\266 b/inner"',
    ]);
    expect(tar.git('cat-file', 'blob', 'refs/tapline/head:site.yml')).to.equal('a');
    expect(tar.git('cat-file', '-s', 'refs/tapline/head:site.yml')).to.equal('3');
    make('two.zip', entries);
    const zips = [await unpacked('two.zip'), await unpacked('two.zip')];
    expect(zips[0]!.revision()).to.equal(zips[1]!.revision());
  });

  for (const [what, entry, said] of [
    ['above it', { name: '../evil' }, /lies outside of it/],
    ['somewhere else', { name: '/tmp/evil' }, /lies outside of it/],
    ['behind a detour', { name: 'a/../../evil' }, /lies outside of it/],
    ['a link that leads out', { name: 'a', link: '../../evil' }, /the link 'a' leads outside of it/],
    [
      'a link to what is around its one folder',
      { name: 'p-1.0/a', link: '..' },
      /the link 'p-1.0\/a' leads outside of it/,
    ],
    ['a link to the machine', { name: 'a', link: '/etc/passwd' }, /leads outside of it/],
    ['a device', { name: 'a', device: true }, /neither a file, a folder nor a link/],
    ['a hard link out', { name: 'a', hard: '../evil' }, /could not be used/],
  ] as const)
    it(`are refused with ${what}`, async () => {
      const entries: Entry[] = [{ name: entry.name.startsWith('p-1.0/') ? 'p-1.0/x' : 'site.yml', text: 'x' }, entry];
      expect(await refused('evil.tar', entries)).to.match(said);
      if (!('device' in entry) && !('hard' in entry)) expect(await refused('evil.zip', entries)).to.match(said);
    });

  it('write nothing through a link of their own', async () => {
    const entries: Entry[] = [
      { name: 'in/x', text: 'x' },
      { name: 'a', link: 'in' },
      { name: 'a/site.yml', text: 'x' },
    ];
    expect(await refused('through.tar', entries)).to.match(/could not be (used|fetched)/);
  });

  for (const [what, links] of Object.entries<Entry[]>({
    'lies below another': [
      { name: 'p/q/r', link: '../..' },
      { name: 'p/q/r/x', link: '../../../etc/passwd' },
    ],
    'goes back through another': [
      { name: 'p/q/r', link: '../..' },
      { name: 'p/q/x', link: 'r/../../../etc/passwd' },
    ],
    'comes before what it goes through': [
      { name: 'p/q/x', link: 'r/../..' },
      { name: 'p/q/r', link: '../..' },
    ],
  }))
    it(`lead out by no link that ${what}`, async () => {
      const entries: Entry[] = [{ name: 'site.yml', text: 'x' }, { name: 'p/q/y', text: 'x' }, ...links];
      for (const name of ['winding.tar', 'winding.zip'])
        expect(await refused(name, entries)).to.match(/the link '\S+' leads (outside of it|through another)/);
    });

  it('are bounded in bytes and files, whatever they say of themselves', async () => {
    const bomb: Entry[] = [{ name: 'big', size: 50_000_000 }];
    expect(await refused('bomb.zip', bomb, { bytes: 1_000_000 })).to.match(
      /more than the 1000000 bytes of CHECKOUT_MAX_BYTES/,
    );
    expect(await refused('bomb.tar.gz', bomb, { bytes: 1_000_000 })).to.match(/of CHECKOUT_MAX_BYTES/);
    const many = Array.from({ length: 20 }, (_, i): Entry => ({ name: `f${i}`, text: '' }));
    expect(await refused('many.zip', many, { files: 10 })).to.match(/more files than the 10 of CHECKOUT_MAX_FILES/);
    writeFileSync(join(folder, 'long'), Buffer.alloc(3_000_000));
    expect((await unpacked('long', { bytes: 1_000_000 })).said).to.match(/bytes of CHECKOUT_MAX_BYTES/);
  });

  it('are explained where they are none, or are not there', async () => {
    writeFileSync(join(folder, 'page'), '<html>');
    expect((await unpacked('page')).said).to.equal(
      'The archive could not be used: it is neither a tar nor a zip archive.',
    );
    expect((await unpacked('gone.zip')).said).to.equal(
      'The archive could not be fetched: its server answered 404 Not Found.',
    );
    expect((await unpacked('closed/open.zip')).said).to.match(/its server answered 401 Unauthorized\.$/);
    expect((await unpacked('http://127.0.0.1:9/x.zip')).said).to.match(/^The archive could not be fetched: .*refused/);
    expect((await unpacked('round')).said).to.match(/^The archive could not be fetched: /);
    expect((await unpacked('file')).said).to.match(
      /^The archive could not be fetched: .* 'file:\/\/\/etc\/passwd' is not allowed/,
    );
  });

  it('show the login to their own host alone', async () => {
    const user = 'ann:canary-archive';
    expect((await unpacked('closed/open.zip', { user })).said).to.equal('');
    asked.length = 0;
    expect((await unpacked('moved', { user })).said).to.equal('');
    expect(asked.map(({ headers }) => headers.authorization)).to.deep.equal([login, undefined]);
  });

  describe('in the service', () => {
    let service: TestService;
    before(async () => void (service = await startService()));
    after(() => service?.stop());

    it('are updated, listed and run', async () => {
      const { results } = (await service.get('credential_types/?namespace=scm')).body;
      const inputs = { username: 'ann', password: 'canary-archive' };
      const credential = await service.post('credentials/', {
        name: 'c',
        organization: 1,
        credential_type: results[0].id,
        inputs,
      });
      const { status, body } = await service.post('projects/', {
        name: 'archive',
        organization: 1,
        scm_type: 'archive',
        scm_url: `${url}closed/open.zip`,
        credential: credential.body.id,
      });
      expect(status, JSON.stringify(body)).to.equal(201);
      const update = await until(async () => {
        const shown = (await service.get(`project_updates/${body.summary_fields.current_update.id}/`)).body;
        return shown.finished ? shown : undefined;
      }, 60_000);
      expect(update.status, update.job_explanation).to.equal('successful');
      expect(update.scm_revision).to.match(/^[0-9a-f]{40}$/);
      expect((await service.get(`projects/${body.id}/playbooks/`)).body).to.deep.equal(['site.yml']);
      expect((await service.get(`project_updates/${update.id}/stdout/?format=txt`)).text).not.to.include('canary');
    });
  });
});
