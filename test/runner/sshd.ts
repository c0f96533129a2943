import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../demo/free-port.ts';
import { until } from '../support/until.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

export interface Sshd {
  port: number;
  user: string;
  password: string;
  key: string;
  /** the public ones that are let in */
  keys: string;
  lockedKey: string;
  passphrase: string;
  /** As if another machine had its address; resolves when it shows the new key. */
  changeHostKey(): Promise<void>;
  stop(): Promise<void>;
}

const user = 'tapguest';
export const sshdUser = 64_400;
const password = 'canary-login-pass';
const passphrase = 'canary-key-phrase';

/**
 * An sshd on a loopback port with a user of its own, who may use su and sudo with a password. Its accounts
 * are mounted over the machine's in a namespace of their own: nothing outside changes. It lets its own keys in, or those given.
 */
export async function startSshd(given: { keys?: string } = {}): Promise<Sshd> {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-sshd-'));
  chmodSync(folder, 0o755);
  const file = (name: string) => join(folder, name);
  const hash = execFileSync('openssl', ['passwd', '-6', '-stdin'], { input: password, encoding: 'utf8' }).trim();
  const port = await freePort();
  const makeKey = (name: string, phrase: string) =>
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', phrase, '-C', name, '-f', file(name)]);
  for (const [name, phrase] of [
    ['host', ''],
    ['open', ''],
    ['locked', passphrase],
  ] as const)
    makeKey(name, phrase);
  mkdirSync(file('home'));
  const keys = given.keys ?? readFileSync(file('open.pub'), 'utf8') + readFileSync(file('locked.pub'), 'utf8');
  writeFileSync(file('keys'), keys, { mode: 0o644 });
  writeFileSync(
    file('passwd'),
    `${readFileSync('/etc/passwd', 'utf8')}${user}:x:${sshdUser}:${sshdUser}::${file('home')}:/bin/sh\n`,
    { mode: 0o644 },
  );
  writeFileSync(file('group'), `${readFileSync('/etc/group', 'utf8')}${user}:x:${sshdUser}:\n`, { mode: 0o644 });
  const rootless = readFileSync('/etc/shadow', 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('root:'))
    .join('\n');
  writeFileSync(file('shadow'), `root:${hash}:19000:0:99999:7:::\n${rootless}\n${user}:${hash}:19000:0:99999:7:::\n`, {
    mode: 0o640,
  });
  writeFileSync(file('sudoers'), `Defaults !lecture\n${user} ALL=(ALL:ALL) ALL\n`, { mode: 0o440 });
  writeFileSync(
    file('config'),
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${file('host')}`,
      `PidFile ${file('pid')}`,
      `AuthorizedKeysFile ${file('keys')}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication yes',
      'PermitRootLogin no',
      'Subsystem sftp internal-sftp',
      'MaxStartups 100',
      '',
    ].join('\n'),
  );
  const script = `
    chown ${sshdUser}:${sshdUser} ${file('home')} && chmod 700 ${file('home')} && mkdir -p /run/sshd
    for name in passwd group shadow sudoers; do mount --bind ${folder}/$name /etc/$name; done
    exec /usr/bin/setpriv --pdeathsig TERM /usr/sbin/sshd -D -e -f ${file('config')}`;
  // it ends with the tests, also where they are killed
  const child = spawn('/usr/bin/unshare', ['--mount', '--propagation', 'private', '/bin/sh', '-c', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  await until(() => (child.exitCode === null ? answers(port) : Promise.reject(new Error(said))), 10_000, 'sshd');
  return {
    port,
    user,
    password,
    passphrase,
    keys,
    key: readFileSync(file('open'), 'utf8'),
    lockedKey: readFileSync(file('locked'), 'utf8'),
    async changeHostKey() {
      unlinkSync(file('host'));
      makeKey('host', '');
      process.kill(Number(readFileSync(file('pid'), 'utf8')), 'SIGHUP');
      const [, wanted] = readFileSync(file('host.pub'), 'utf8').split(' ');
      const shown = () => execFileSync('ssh-keyscan', ['-p', String(port), '127.0.0.1'], { stdio: 'pipe' }).toString();
      await until(() => shown().includes(wanted!), undefined, 'the new host key');
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      // the whole session that was started for it
      if (child.exitCode === null) process.kill(-child.pid!, 'SIGTERM');
      await ended;
      removeFolder(folder);
    },
  };
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

/** An inventory of one host behind it. */
export const sshHost = ({ port }: Sshd) => ({
  all: { hosts: ['far'] },
  _meta: {
    hostvars: {
      far: { ansible_host: '127.0.0.1', ansible_port: port, ansible_python_interpreter: '/usr/bin/python3' },
    },
  },
});
