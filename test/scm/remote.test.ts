import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { opensshKey } from '../credentials/ssh-keys.ts';
import { type Sshd, sshdUser, startSshd } from '../runner/sshd.ts';
import { type Apart, startApart } from '../support/apart.ts';
import { describeWith } from '../support/needs.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { play, SourceRepository } from './repository.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const selfMade = join(import.meta.dirname, '../fixtures/self-signed.pem');
const authorities = '/etc/ssl/certs/ca-certificates.crt';
const password = 'canary-git-password';
const token = 'canary-git-token';

describeWith(['root', 'sshd', 'unshare', 'openssl'], 'projects from far away', function () {
  let folder: string;
  let revision: string;
  let git: GitServer;
  let stranger: GitServer;
  let sshd: Sshd;
  let service: Apart;
  let type: number;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tapline-remote-'));
    const source = new SourceRepository(folder);
    revision = source.commit({ 'far.yml': play });
    // git serves to its owner only, root to everybody
    execFileSync('chown', ['-R', `${sshdUser}:${sshdUser}`, source.folder]);
    const own = readFileSync(selfMade);
    writeFileSync(join(folder, 'authorities'), Buffer.concat([readFileSync(authorities), own]), { mode: 0o644 });
    const logins = [`ann:${password}`, `x-token:${token}`, `${token}:`];
    git = await startGitServer(folder, own, logins);
    stranger = await startGitServer(folder, anotherCertificate(folder), logins);
    sshd = await startSshd();
    // a machine that trusts the certificate, as an administrator would have it
    service = await startApart({ covered: { [authorities]: join(folder, 'authorities') } });
    type = (await service.get('credential_types/?namespace=scm')).results[0].id;
  });
  after(async () => {
    await service?.stop();
    await sshd?.stop();
    await git?.stop();
    await stranger?.stop();
    removeFolder(folder);
  });

  /** The update that comes with a new project. */
  async function fetched(url: string, inputs?: object): Promise<{ update: any; project: number }> {
    const name = `p${Math.random()}`;
    const credential =
      inputs && (await service.post('credentials/', { name, organization: 1, credential_type: type, inputs })).id;
    const made = await service.post('projects/', {
      name,
      organization: 1,
      scm_type: 'git',
      scm_url: url,
      credential,
    });
    const update = await service.ended('project_updates', made.summary_fields.current_update.id);
    return { update, project: made.id };
  }

  const overSsh = (path = join(folder, 'repo')) => `ssh://127.0.0.1:${sshd.port}${path}`;
  const user = () => sshd.user;

  const good: Record<string, () => [url: string, inputs?: object]> = {
    'https, with a password': () => [`${git.url}repo/.git`, { username: 'ann', password }],
    'https, with a token under any name': () => [`${git.url}repo/.git`, { username: 'x-token', password: token }],
    'https, with a token for a name': () => [`${git.url}repo/.git`, { username: token }],
    'https, with the password in the URL': () => [`${git.url.replace('//', `//ann:${password}@`)}repo/.git`],
    'ssh, with a password': () => [overSsh(), { username: user(), password: sshd.password }],
    'ssh, with a key': () => [overSsh(), { username: user(), ssh_key_data: sshd.key }],
    'ssh, with a key that has a passphrase': () => [
      overSsh(),
      { username: user(), ssh_key_data: sshd.lockedKey, ssh_key_unlock: sshd.passphrase },
    ],
  };
  for (const [how, of] of Object.entries(good))
    it(`come over ${how}, and none of it is shown`, async () => {
      const { update, project } = await fetched(...of());
      const said = await service.get(`project_updates/${update.id}/stdout/?format=txt_download`);
      expect(update.status, `${update.job_explanation}\n${said}`).to.equal('successful');
      expect(update.scm_revision).to.equal(revision);
      expect(await service.get(`projects/${project}/playbooks/`)).to.deep.equal(['far.yml']);
      expect(said + JSON.stringify(update)).not.to.match(/canary|BEGIN OPENSSH/);
    });

  it('show the login of the source to no other host, which a submodule lies on', async () => {
    const other = await startGitServer(folder, readFileSync(selfMade), []);
    try {
      const whole = join(folder, 'whole');
      mkdirSync(whole, { mode: 0o755 });
      const source = new SourceRepository(whole);
      // where nothing is, git takes it for removed
      mkdirSync(join(source.folder, 'part'));
      const addresses = { [`${git.url}repo/.git`]: 'successful', [`${other.url}repo/.git`]: 'failed' };
      for (const [url, status] of Object.entries(addresses)) {
        source.git('update-index', '--add', '--cacheinfo', `160000,${revision},part`);
        source.commit({ 'site.yml': play, '.gitmodules': `[submodule "part"]\n\tpath = part\n\turl = ${url}\n` });
        const { update } = await fetched(`${git.url}whole/repo/.git`, { username: 'ann', password });
        expect(update.status, update.job_explanation).to.equal(status);
        if (status === 'failed') expect(update.job_explanation).to.match(/^The submodule "part" could not be fetched/);
        expect(JSON.stringify(update)).not.to.contain('canary');
      }
      expect(other.shown).to.have.length.greaterThan(0);
      expect(new Set(other.shown)).to.deep.equal(new Set([undefined]));
    } finally {
      await other.stop();
    }
  });

  it('show the login of the source to its own host without TLS neither', async () => {
    const folderOfWhole = join(folder, 'in-the-open');
    mkdirSync(folderOfWhole, { mode: 0o755 });
    const source = new SourceRepository(folderOfWhole);
    mkdirSync(join(source.folder, 'part'));
    source.git('update-index', '--add', '--cacheinfo', `160000,${revision},part`);
    const url = `${git.url.replace('https', 'http')}repo/.git`;
    source.commit({ 'site.yml': play, '.gitmodules': `[submodule "part"]\n\tpath = part\n\turl = ${url}\n` });
    const { update } = await fetched(`${git.url}in-the-open/repo/.git`, { username: 'ann', password });
    expect(update.status, update.job_explanation).to.equal('failed');
    expect(git.shownInTheOpen).to.have.length.greaterThan(0);
    expect(new Set(git.shownInTheOpen)).to.deep.equal(new Set([undefined]));
    expect((await fetched(url, { username: 'ann', password })).update.status, 'its own').to.equal('successful');
  });

  it('show the key of the source to no other host', async () => {
    const other = await startSshd({ keys: sshd.keys });
    try {
      const inputs = { username: user(), ssh_key_data: sshd.key };
      for (const [port, status] of [
        [sshd.port, 'successful'],
        [other.port, 'failed'],
      ] as const) {
        const folderOfWhole = join(folder, `by-key-${port}`);
        mkdirSync(folderOfWhole, { mode: 0o755 });
        const source = new SourceRepository(folderOfWhole);
        mkdirSync(join(source.folder, 'part'));
        const url = `ssh://${user()}@127.0.0.1:${port}${join(folder, 'repo')}`;
        source.git('update-index', '--add', '--cacheinfo', `160000,${revision},part`);
        source.commit({ 'site.yml': play, '.gitmodules': `[submodule "part"]\n\tpath = part\n\turl = ${url}\n` });
        execFileSync('chown', ['-R', `${sshdUser}:${sshdUser}`, folderOfWhole]);
        const { update } = await fetched(overSsh(source.folder), inputs);
        expect(update.status, update.job_explanation).to.equal(status);
      }
      const fromThere = `ssh://127.0.0.1:${other.port}${join(folder, 'repo')}`;
      expect((await fetched(fromThere, inputs)).update.status, 'which would take it').to.equal('successful');
    } finally {
      await other.stop();
    }
  });

  const hint = {
    login: 'Check the user name and the password or token of the credential.',
    key: 'Check the user name and the password or key of the credential.',
    path: "Check the path of the URL, and that the credential's user may read what is there.",
  };
  const bad: Record<string, () => [said: RegExp, url: string, inputs?: object]> = {
    'a wrong password over https': () => [
      new RegExp(`^The source could not be fetched: Authentication failed for 'https:.*'\\. ${hint.login}$`),
      `${git.url}repo/.git`,
      { username: 'ann', password: 'canary-wrong' },
    ],
    'no login over https': () => [
      /: could not read Username for 'https:.* The server asks for a login: give the project a credential\.$/,
      `${git.url}repo/.git`,
    ],
    'a repository that is not there': () => [
      new RegExp(`: repository '.*nowhere/' not found\\. ${hint.path}$`),
      `${git.url}nowhere/`,
      { username: 'ann', password },
    ],
    'a certificate of nobody known': () => [
      /certificate.* Add the authority that signed it to those that this machine trusts\.$/,
      `${stranger.url}repo/.git`,
      { username: 'ann', password },
    ],
    'a wrong password over ssh': () => [
      new RegExp(`: ${user()}@127\\.0\\.0\\.1: Permission denied \\(.*\\)\\. ${hint.key}$`),
      overSsh(),
      { username: user(), password: 'canary-wrong' },
    ],
    'a key that nobody knows': () => [
      new RegExp(`Permission denied \\(.*\\)\\. ${hint.key}$`),
      overSsh(),
      { username: user(), ssh_key_data: opensshKey() },
    ],
    'a folder that is no repository': () => [
      new RegExp(`: '/usr' does not appear to be a git repository\\. ${hint.path}$`),
      overSsh('/usr'),
      { username: user(), ssh_key_data: sshd.key },
    ],
    'a port where nobody listens': () => [
      /Connection refused\. Check the host and the port of the URL\.$/,
      'ssh://127.0.0.1:1/x.git',
      { username: user(), ssh_key_data: sshd.key },
    ],
  };
  for (const [what, of] of Object.entries(bad))
    it(`say what to do about ${what}`, async () => {
      const [said, url, inputs] = of();
      const { update } = await fetched(url, inputs);
      expect(update.status).to.equal('failed');
      expect(update.job_explanation).to.match(said);
      expect(JSON.stringify(update)).not.to.contain('canary');
    });

  it('are refused with a key whose passphrase is wrong, before anything is fetched', async () => {
    const inputs = { username: user(), ssh_key_data: sshd.lockedKey, ssh_key_unlock: 'wrong' };
    const refused = await fetched(overSsh(), inputs).catch((error: Error) => error.message);
    expect(refused).to.match(/400 .*ssh_key_unlock.*does not unlock the SSH key/);
  });

  it('are not fetched from a host whose key is another than before, until an administrator says so', async () => {
    const { project, update } = await fetched(overSsh(), { username: user(), ssh_key_data: sshd.key });
    expect(update.status, update.job_explanation).to.equal('successful');
    const again = async () => {
      const { id } = await service.post(`projects/${project}/update/`, {});
      return service.ended('project_updates', id);
    };
    expect((await again()).status).to.equal('successful');
    await sshd.changeHostKey();
    const refused = await again();
    expect(refused.status).to.equal('failed');
    expect(refused.job_explanation).to.match(/its host shows another key than it did before/);
    await service.patch(`projects/${project}/`, { scm_delete_on_update: true });
    const accepted = await again();
    expect(accepted.status, accepted.job_explanation).to.equal('successful');
  });
});

function anotherCertificate(folder: string): Buffer {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const whose = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', ...kind, ...whose, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  return Buffer.concat([readFileSync(key), readFileSync(certificate)]);
}
