import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { keepKnownHosts, knownHosts } from '../../core/scm/known-hosts.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

describe('the hosts that updates of a project saw', () => {
  const cache = mkdtempSync(join(tmpdir(), 'tapline-known-'));
  after(() => removeFolder(cache));
  const key = 'AAAAC3NzaC1lZDI1NTE5AAAAIBa1';

  it('are none before the first update', async () => {
    expect(await knownHosts(cache)).to.equal('');
    await keepKnownHosts(cache, '');
    expect(await knownHosts(cache)).to.equal('');
  });

  it('are kept as ssh stores them, by name, with a port, or hashed', async () => {
    const lines = [
      `git.example ssh-ed25519 ${key}`,
      `[127.0.0.1]:2222 ecdsa-sha2-nistp256 ${key}=`,
      `|1|c2FsdA==|aGFzaA== ssh-rsa ${key}`,
      `[fe80::1]:22 sk-ssh-ed25519@openssh.com ${key}`,
    ];
    await keepKnownHosts(cache, `${lines.join('\n')}\n`);
    expect((await knownHosts(cache)).trimEnd().split('\n')).to.deep.equal(lines);
  });

  it('are not replaced by what is none: anybody would be let in by a line that trusts a signer', async () => {
    const before = readFileSync(join(cache, 'known_hosts'), 'utf8');
    await keepKnownHosts(cache, `@cert-authority * ssh-ed25519 ${key}\n* ssh-ed25519 ${key}\n\0\nhalf a line`);
    expect(await knownHosts(cache)).to.equal(before);
  });
});
