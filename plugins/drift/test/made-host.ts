import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../test/support/until.ts';

/** What such hosts need of the machine. */
export const madeHostNeeds = [
  'root',
  'sshd',
  'ssh-keygen',
  'unshare',
  'nsenter',
  'setpriv',
  'dpkg-deb',
  'ip',
  'useradd',
];

export interface MadeHost {
  port: number;
  /** a package that is not installed there */
  package: string;
  /** a command of the shell, as root of this host; its output */
  run(command: string): string;
  stop(): Promise<void>;
}

/** By which root logs in. */
export interface Key {
  private: string;
  public: string;
}

export function makeKey(): Key {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-key-'));
  const file = join(folder, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'root', '-f', file]);
  const made = { private: readFileSync(file, 'utf8'), public: readFileSync(`${file}.pub`, 'utf8') };
  rmSync(folder, { recursive: true, force: true });
  return made;
}

/** A service of the host, as Debian's init scripts are; `service --status-all` counts it as running when its status says something. */
const service = `#!/bin/sh
### BEGIN INIT INFO
# Provides: probe
### END INIT INFO
daemon() { /usr/sbin/start-stop-daemon --pidfile /etc/probe.pid "$@"; }
case "$1" in
  start) daemon --start --background --make-pidfile --exec /bin/sleep -- infinity ;;
  stop) daemon --stop && rm -f /etc/probe.pid ;;
  status) daemon --status && echo running ;;
esac
`;

const control = `Package: drift-probe
Version: 1.2.3
Architecture: all
Maintainer: Nobody <nobody@example.com>
Description: A package that holds nothing
`;

/**
 * A host in namespaces of its own: processes, mounts, network, name, accounts, packages and services are its own to change, over
 * what this machine has. It is reached by ssh on a port of the loopback, since its own network reaches nobody; it ends with the tests.
 */
export async function makeHost(name: string, key: Key): Promise<MadeHost> {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-host-'));
  const file = (part: string) => join(folder, part);
  chmodSync(folder, 0o755);
  for (const part of ['own', 'package/DEBIAN']) mkdirSync(file(part), { recursive: true });
  writeFileSync(file('keys'), key.public);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'host', '-f', file('host')]);
  writeFileSync(file('package/DEBIAN/control'), control);
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', file('package'), file('probe.deb')], { stdio: 'ignore' });
  writeFileSync(file('probe'), service, { mode: 0o755 });
  writeFileSync(
    file('sshd_config'),
    `HostKey ${file('host')}\nAuthorizedKeysFile ${file('keys')}\nStrictModes no\nUsePAM no\nPermitRootLogin prohibit-password\nSubsystem sftp internal-sftp\n`,
  );
  const begin = `set -e
    hostname ${name}
    mount -t tmpfs tapline ${file('own')}
    for part in etc var; do
      mkdir -p ${file('own')}/$part/upper ${file('own')}/$part/work
      mount -t overlay overlay -o lowerdir=/$part,upperdir=${file('own')}/$part/upper,workdir=${file('own')}/$part/work /$part
    done
    ip link set lo up
    cp ${file('probe')} /etc/init.d/probe
    /etc/init.d/probe start
    mkdir -p /run/sshd
    echo ready
    exec sleep infinity`;
  const spaces = ['--mount', '--net', '--uts', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const options = [...spaces, '--propagation', 'private', '--', '/bin/sh', '-c', begin];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare', ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  await until(
    () => (child.exitCode === null ? said.includes('ready') : Promise.reject(new Error(said))),
    20_000,
    `the host ${name}`,
  );
  const first = execFileSync('pgrep', ['-P', String(child.pid)])
    .toString()
    .trim();
  const inside = ['--target', first, '--mount', '--net', '--uts', '--pid', '--'];
  const door = createServer((socket) => {
    const sshd = spawn('nsenter', [...inside, '/usr/sbin/sshd', '-i', '-e', '-f', file('sshd_config')], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    for (const stream of [socket, sshd.stdin]) stream.on('error', () => undefined);
    socket.pipe(sshd.stdin);
    sshd.stdout.pipe(socket);
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  return {
    port: (door.address() as AddressInfo).port,
    package: file('probe.deb'),
    run: (command) => execFileSync('nsenter', [...inside, '/bin/sh', '-ec', command]).toString(),
    async stop() {
      door.close();
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
