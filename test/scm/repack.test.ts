import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { repackIfMany } from '../../core/scm/repack.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

describe('the packs of a cache', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-repack-'));
  const [source, cache] = [join(folder, 'source'), join(folder, 'cache.git')];
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'fetch.unpackLimit=1', ...args], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  const packs = () => readdirSync(join(cache, 'objects/pack')).filter((name) => name.endsWith('.pack')).length;
  after(() => removeFolder(folder));

  it('are put together once there are many, and nothing is lost that was in them', async () => {
    git(folder, 'init', '-q', '-b', 'main', source);
    git(folder, 'init', '-q', '--bare', cache);
    const commits: string[] = [];
    for (const number of [1, 2, 3, 4]) {
      writeFileSync(join(source, 'site.yml'), `# ${number}\n`);
      git(source, 'add', '.');
      // each in place of the one before, so that no branch holds the older ones
      git(source, 'commit', '-q', ...(number > 1 ? ['--amend'] : []), '-m', `Number ${number}`);
      git(cache, 'fetch', '-q', source, '+main:main');
      commits.push(git(source, 'rev-parse', 'HEAD'));
    }
    expect(packs()).to.equal(4);
    expect(await repackIfMany(cache, 4)).to.equal(false);
    expect(packs()).to.equal(4);
    expect(await repackIfMany(cache, 3)).to.equal(true);
    expect(packs()).to.equal(1);
    for (const commit of commits) expect(git(cache, 'cat-file', '-t', commit)).to.equal('commit');
  });
});
