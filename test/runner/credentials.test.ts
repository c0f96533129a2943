import { expect } from 'chai';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobCredential } from '../../core/run-kinds/execution/log-in.ts';
import { explainFailure } from '../../core/runner/explain.ts';
import { describeWith } from '../support/needs.ts';
import { type Sshd, sshHost, startSshd } from './sshd.ts';
import { type Finished, makeStage, type Stage } from './stage.ts';

describeWith(['root', 'sshd', 'sshpass', 'sudo', 'unshare'], 'runner: credentials', function () {
  let sshd: Sshd;
  let stage: Stage;

  before(async () => {
    sshd = await startSshd();
    // keys are found whatever the folder is called
    stage = makeStage(mkdtempSync(join(tmpdir(), "tapline's $runner ")));
  });
  after(async () => {
    await stage?.end();
    await sshd?.stop();
  });

  const machine = (inputs: Record<string, string>): JobCredential => ({
    name: 'Machine',
    type: { kind: 'ssh', namespace: 'ssh' },
    inputs: { username: sshd.user, ...inputs },
  });
  const become = async (inputs: Record<string, string>, passwords: Record<string, string> = {}): Promise<Finished> => {
    const spec = await stage.spec('become.yml', {
      inventory: sshHost(sshd),
      credentials: [machine(inputs)],
      passwords,
    });
    return stage.run(spec);
  };
  const commands = ({ events }: Finished) =>
    events
      .filter(({ event }) => event === 'runner_on_ok')
      .map(({ event_data: data }) => (data['res'] as { stdout: string }).stdout);
  const explain = ({ status, events, stdout }: Finished) => explainFailure({ status, events, text: stdout });

  it('logs in with a key and becomes root by sudo', async () => {
    const done = await become({ ssh_key_data: sshd.key, become_password: sshd.password });
    expect(commands(done), done.stdout).to.deep.equal(['root', sshd.user]);
  });

  it('logs in with a key that has a passphrase', async () => {
    const done = await become({
      ssh_key_data: sshd.lockedKey,
      ssh_key_unlock: sshd.passphrase,
      become_password: sshd.password,
    });
    expect(commands(done), done.stdout).to.deep.equal(['root', sshd.user]);
  });

  it('takes the passphrase that was given at launch', async () => {
    const done = await become(
      { ssh_key_data: sshd.lockedKey, ssh_key_unlock: 'ASK', become_password: 'ASK' },
      { ssh_key_unlock: sshd.passphrase, become_password: sshd.password },
    );
    expect(commands(done), done.stdout).to.deep.equal(['root', sshd.user]);
  });

  it('logs in with a password and becomes root by su', async () => {
    const done = await become({
      password: sshd.password,
      become_method: 'su',
      become_username: 'root',
      become_password: sshd.password,
    });
    expect(commands(done), done.stdout).to.deep.equal(['root', sshd.user]);
  });

  it('explains a wrong login, a wrong privilege escalation password and a wrong passphrase', async () => {
    const [login, escalation, phrase] = [
      await become({ password: 'not it', become_password: 'x' }),
      await become({ ssh_key_data: sshd.key, become_password: 'not it' }),
      await become({ ssh_key_data: sshd.lockedKey, ssh_key_unlock: 'not it' }),
    ];
    expect(explain(login), login.stdout).to.equal(
      'far refused the login. Check user name, password and key of the machine credential.',
    );
    expect(explain(escalation), escalation.stdout).to.equal(
      "The sudo password for far is wrong. Check the machine credential's privilege escalation password.",
    );
    expect(explain(phrase), phrase.stdout).to.match(
      /^The SSH key of the credential could not be loaded: is its passphrase right\?/,
    );
  });

  it('opens a vault, and explains a wrong or missing vault password', async () => {
    const vault = (password: string, id = ''): JobCredential => ({
      name: 'Vault',
      type: { kind: 'vault', namespace: 'vault' },
      inputs: { vault_password: password, vault_id: id },
    });
    const open = await stage.run(
      await stage.spec('vault.yml', { credentials: [vault('other', 'elsewhere'), vault('vault-pass', 'here')] }),
    );
    expect(open.status, open.stdout).to.have.nested.property('exit.rc', 0);
    expect(open.stdout).to.contain('the vault holds 6 characters');
    const wrong = await stage.run(await stage.spec('vault.yml', { credentials: [vault('wrong')] }));
    expect(explain(wrong), wrong.stdout).to.match(/^The vault password is wrong/);
    const none = await stage.run(await stage.spec('vault.yml'));
    expect(explain(none), none.stdout).to.match(/no vault credential/);
  });

  it('shows no secret in the process list, the output or what is left on disk', async () => {
    const spec = await stage.spec('become.yml', {
      inventory: sshHost(sshd),
      credentials: [
        machine({
          password: sshd.password,
          ssh_key_data: sshd.lockedKey,
          ssh_key_unlock: sshd.passphrase,
          become_password: sshd.password,
        }),
      ],
    });
    const handle = await stage.executor.start(spec);
    const seen = new Set<string>();
    while ((await stage.executor.status(handle)).state === 'running') for (const line of commandLines()) seen.add(line);
    const done = await stage.finished(handle);
    expect(commands(done), done.stdout).to.deep.equal(['root', sshd.user]);
    const shown = [
      ...seen,
      done.stdout,
      JSON.stringify(done.events),
      JSON.stringify(spec.shown),
      ...filesBelow(handle.workspace),
    ].join('\n');
    for (const secret of [sshd.password, sshd.passphrase, sshd.lockedKey.split('\n')[2]!])
      expect(shown).to.not.contain(secret);
    expect(readdirSync(join(handle.workspace, 'work'))).to.not.include('env');
  });
});

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    });
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}
