import { expect } from 'chai';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import {
  branchProblem,
  redactUrl,
  refspecProblem,
  restoreUrl,
  urlPassword,
  urlProblem,
  withoutPassword,
} from '../../core/scm/url.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('addresses of project sources', () => {
  for (const url of [
    'https://example.org/a.git',
    'http://u:p@example.org/a',
    'ssh://git@example.org:2222/a.git',
    'git@example.org:team/a.git',
    'git://example.org/a',
    'example.org:a.git',
  ]) {
    it(`accepts ${url}`, () => expect(urlProblem('git', url, [])).to.equal(null));
  }

  const hostile = [
    '',
    '--upload-pack=touch /tmp/x',
    '-oProxyCommand=x',
    'ext::sh -c id',
    'ext::sh',
    'fd::17',
    'https://exa mple.org/',
    'https://example.org/\n',
    'javascript://x',
    '/etc',
    '../a',
    'file:///etc',
    'file://host/share',
    'FILE:///etc',
    'git@-oProxyCommand=x:a',
    'ssh://-oProxyCommand=x/a',
    'ssh://-l@example.org/a',
    'https://',
    'svn://example.org/a',
    'git@example.org:-x',
  ];
  for (const url of hostile)
    it(`refuses ${JSON.stringify(url)}`, () => expect(urlProblem('git', url, [])).to.be.a('string'));

  it('opens folders of this machine only below allowed ones, links followed', () => {
    const root = temporaryFolder('url');
    mkdirSync(join(root, 'ok'));
    symlinkSync('/etc', join(root, 'ok', 'out'));
    const judge = (path: string) => urlProblem('git', `file://${path}`, [join(root, 'ok')]);
    expect(judge(join(root, 'ok'))).to.equal(null);
    expect(judge(join(root, 'ok', 'a.git'))).to.equal(null);
    expect(judge(join(root, 'okay'))).to.be.a('string');
    expect(judge(join(root, 'ok', '..', 'other'))).to.be.a('string');
    expect(judge(join(root, 'ok', '%2e%2e', 'other'))).to.be.a('string');
    expect(judge(join(root, 'ok', 'out', 'x'))).to.be.a('string');
  });

  it('hides the password and keeps it when the hidden form comes back', () => {
    const url = 'https://bob:s%40cret@example.org/a.git';
    expect(redactUrl(url)).to.equal('https://bob:$encrypted$@example.org/a.git');
    expect(restoreUrl(redactUrl(url), url)).to.equal(url);
    expect(restoreUrl('https://bob:$encrypted$@evil.example/a.git', url)).not.to.contain('s%40cret');
    expect(urlPassword(url)).to.equal('s@cret');
    expect(redactUrl('git@example.org:a.git')).to.equal('git@example.org:a.git');
  });

  it('takes the password out for programs, whose arguments others may read', () => {
    expect(withoutPassword('https://bob:s%40cret@example.org/a.git')).to.equal('https://bob@example.org/a.git');
    expect(withoutPassword('https://:token@example.org:8443/a')).to.equal('https://example.org:8443/a');
    for (const url of [
      'https://bob@example.org/a',
      'https://example.org/a:b@c',
      'git@example.org:a.git',
      'file:///srv/a',
    ])
      expect(withoutPassword(url)).to.equal(url);
  });

  it('refuses branches and refspecs that git would take for options', () => {
    for (const branch of ['-x', '--upload-pack=x', 'a b', 'a..b', 'a@{1}', 'a\nb', 'a:b'])
      expect(branchProblem(branch), branch).to.be.a('string');
    for (const branch of ['', 'main', 'feature/x-1', 'v1.0', '0123abc'])
      expect(branchProblem(branch), branch).to.equal(null);
    for (const refspec of ['-x', 'a b', '+x:--y', 'a..b']) expect(refspecProblem(refspec), refspec).to.be.a('string');
    expect(refspecProblem('refs/pull/*:refs/remotes/origin/pull/*')).to.equal(null);
  });
});
