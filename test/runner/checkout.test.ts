import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertPlaybookInside, makeCheckout } from '../../core/runner/checkout/checkout.ts';
import { isRoot } from './stage.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const nobody = { uid: isRoot ? 64321 : null, gid: isRoot ? 64321 : null };

describe('runner: checkout', () => {
  let folder: string;
  let cache: string;
  let revision: string;
  const git = (...argv: string[]) =>
    execFileSync(
      'git',
      ['-C', join(folder, 'source'), '-c', 'user.name=A', '-c', 'user.email=a@example.org', ...argv],
      { encoding: 'utf8' },
    ).trim();
  const target = () => {
    const path = mkdtempSync(join(folder, 'target-'));
    return path;
  };

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tapline-checkout-'));
    const source = join(folder, 'source');
    mkdirSync(join(source, 'sub'), { recursive: true });
    writeFileSync(join(source, 'site.yml'), 'one');
    writeFileSync(join(source, 'sub', 'run.sh'), '#!/bin/sh', { mode: 0o755 });
    symlinkSync('/etc', join(source, 'away'));
    symlinkSync('sub', join(source, 'near'));
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-qm', 'one');
    revision = git('rev-parse', 'HEAD');
    writeFileSync(join(source, 'site.yml'), 'two');
    git('commit', '-qam', 'two');
    cache = join(folder, 'cache.git');
    execFileSync('git', ['clone', '-q', '--bare', source, cache]);
    // a hook would run as the service
    mkdirSync(join(cache, 'hooks'), { recursive: true });
    writeFileSync(join(cache, 'hooks', 'post-checkout'), `#!/bin/sh\ntouch ${join(folder, 'hooked')}\n`, {
      mode: 0o755,
    });
  });
  after(() => removeFolder(folder));

  it('refuses what is larger than allowed before a file of it is written, however little of the repository that takes', async () => {
    const source = join(folder, 'source');
    const hash = execFileSync('git', ['-C', source, 'hash-object', '-w', '--stdin'], { input: Buffer.alloc(1 << 20) });
    const tree = (entries: string) =>
      execFileSync('git', ['-C', source, 'mktree'], { input: entries, encoding: 'utf8' }).trim();
    // 64^6 names of one file
    let top = tree(`100644 blob ${String(hash).trim()}\tz\n`);
    for (let level = 0; level < 6; level += 1)
      top = tree(Array.from({ length: 64 }, (_, i) => `040000 tree ${top}\tt${i}`).join('\n') + '\n');
    const bomb = git('commit-tree', top, '-m', 'bomb');
    for (const [limits, name] of [
      [{ bytes: 1 << 24, files: 0 }, 'CHECKOUT_MAX_BYTES'],
      [{ bytes: 0, files: 1000 }, 'CHECKOUT_MAX_FILES'],
    ] as const) {
      const path = target();
      const from = { kind: 'git', repository: join(source, '.git'), revision: bomb, submodules: false } as const;
      const said = await makeCheckout(from, path, nobody, limits).catch((error: Error) => error);
      expect(said).to.have.property('name', 'SpecError');
      expect(said).to.have.property('message').that.contains(name);
      expect(readdirSync(path)).to.deep.equal(['.git']);
    }
  });

  it('makes a writable copy of the very revision, borrowing the objects of the cache', async () => {
    const path = target();
    const borrowed = await makeCheckout({ kind: 'git', repository: cache, revision, submodules: false }, path, nobody);
    expect(borrowed).to.deep.equal([join(cache, 'objects')]);
    expect(readFileSync(join(path, 'site.yml'), 'utf8')).to.equal('one');
    expect(statSync(join(path, 'sub', 'run.sh')).mode & 0o111).to.not.equal(0);
    expect(readlinkSync(join(path, 'away'))).to.equal('/etc');
    expect(existsSync(join(folder, 'hooked'))).to.equal(false);
    const asOwner = {
      encoding: 'utf8' as const,
      env: {
        PATH: process.env['PATH'],
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: '*',
      },
    };
    expect(execFileSync('git', ['-C', path, 'status', '--porcelain'], asOwner)).to.equal('');
    expect(execFileSync('git', ['-C', path, 'rev-parse', 'HEAD'], asOwner).trim()).to.equal(revision);
    if (isRoot)
      for (const name of ['', 'site.yml', 'sub/run.sh', '.git/HEAD', 'away'])
        expect(lstatSync(join(path, name)).uid).to.equal(64321);
  });

  it('refuses what is no resolved revision, and explains one that is not there', async () => {
    for (const bad of ['main', '--upload-pack=x', '', 'HEAD']) {
      expect(
        await failure(
          makeCheckout({ kind: 'git', repository: cache, revision: bad, submodules: false }, target(), nobody),
        ),
      ).to.match(/not a resolved revision/);
    }
    expect(
      await failure(
        makeCheckout({ kind: 'git', repository: cache, revision: '0'.repeat(40), submodules: false }, target(), nobody),
      ),
    ).to.match(/could not be checked out.*Update the project/);
  });

  it('checks submodules out from the cache', async () => {
    const source = join(folder, 'with-modules');
    execFileSync('git', ['clone', '-q', '-c', 'protocol.file.allow=always', join(folder, 'source'), source]);
    const inside = (...argv: string[]) =>
      execFileSync(
        'git',
        [
          '-C',
          source,
          '-c',
          'user.name=A',
          '-c',
          'user.email=a@example.org',
          '-c',
          'protocol.file.allow=always',
          ...argv,
        ],
        { encoding: 'utf8' },
      ).trim();
    inside('submodule', '--quiet', 'add', cache, 'vendor/part');
    inside('commit', '-qm', 'module');
    const bare = join(folder, 'modules.git');
    execFileSync('git', ['clone', '-q', '--bare', source, bare]);
    execFileSync('git', ['clone', '-q', '--bare', cache, join(bare, 'modules', 'vendor/part')]);
    const path = target();
    await makeCheckout(
      { kind: 'git', repository: bare, revision: inside('rev-parse', 'HEAD'), submodules: true },
      path,
      nobody,
    );
    expect(readFileSync(join(path, 'vendor/part/site.yml'), 'utf8')).to.equal('two');
  });

  it('copies a folder, links as links', async () => {
    const path = target();
    await makeCheckout({ kind: 'folder', path: join(folder, 'source') }, path, nobody);
    expect(readFileSync(join(path, 'site.yml'), 'utf8')).to.equal('two');
    expect(readlinkSync(join(path, 'near'))).to.equal('sub');
    expect(await failure(makeCheckout({ kind: 'folder', path: join(folder, 'absent') }, target(), nobody))).to.match(
      /does not exist/,
    );
  });

  it('copies a folder with modes and times of its files, large ones too, and refuses what is no file', async () => {
    const source = target();
    mkdirSync(join(source, 'a/b'), { recursive: true });
    writeFileSync(join(source, 'a/b/run.sh'), '#!/bin/sh', { mode: 0o755 });
    writeFileSync(join(source, 'large'), Buffer.alloc(3 << 20, 'x'));
    for (let n = 0; n < 250; n += 1) writeFileSync(join(source, `a/${n}`), String(n));
    utimesSync(join(source, 'large'), 1_000_000_000, 1_234_567_890.5);
    const path = target();
    await makeCheckout({ kind: 'folder', path: source }, path, nobody);
    expect(statSync(join(path, 'a/b/run.sh')).mode & 0o777).to.equal(0o755);
    expect(statSync(join(path, 'large'))).to.include({ mtimeMs: 1_234_567_890_500, size: 3 << 20 });
    expect(readFileSync(join(path, 'a/249'), 'utf8')).to.equal('249');
    if (nobody.uid !== null) expect(statSync(join(path, 'a/b')).uid).to.equal(nobody.uid);
    execFileSync('mkfifo', [join(source, 'pipe')]);
    expect(await failure(makeCheckout({ kind: 'folder', path: source }, target(), nobody))).to.match(
      /could not be copied: pipe is neither/,
    );
    const file = join(folder, 'source', 'site.yml');
    expect(await failure(makeCheckout({ kind: 'folder', path: file }, target(), nobody))).to.match(/it is no folder/);
  });

  it('takes playbooks inside the checkout only', async () => {
    const path = target();
    await makeCheckout({ kind: 'git', repository: cache, revision, submodules: false }, path, nobody);
    for (const good of ['site.yml', 'sub/run.sh', 'near/run.sh', 'absent.yml', './site.yml'])
      await assertPlaybookInside(path, good);
    for (const bad of [
      '../site.yml',
      'sub/../../site.yml',
      '/etc/passwd',
      'away/passwd',
      'away/absent.yml',
      'near/../../x',
      '',
      'a\0b',
    ]) {
      expect(await failure(assertPlaybookInside(path, bad)), bad).to.match(/inside the project|out of the project/);
    }
  });
});

const failure = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => '',
    (error: Error) => `${error.name}: ${error.message}`,
  );
