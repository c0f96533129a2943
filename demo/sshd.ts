import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';

export interface DemoHost {
  port: number;
  user: string;
  privateKey: string;
  stop(): void;
}

const sshd = '/usr/sbin/sshd';

async function accepts(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('close', () => resolve(false)).setTimeout(500, () => socket.destroy());
    socket.once('connect', () => socket.end());
  });
}

/** A throw-away ssh server for the calling user on a loopback port; null where there is no sshd or it will not start. */
export async function startDemoHost(folder: string): Promise<DemoHost | null> {
  if (!existsSync(sshd)) return null;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  for (const name of ['host', 'user']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'demo', '-f', join(folder, name)], {
      stdio: 'ignore',
    });
  }
  const port = await freePort();
  const config = join(folder, 'sshd_config');
  writeFileSync(
    config,
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${join(folder, 'host')}`,
      `PidFile ${join(folder, 'pid')}`,
      `AuthorizedKeysFile ${join(folder, 'user.pub')}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'PermitRootLogin prohibit-password',
      'Subsystem sftp internal-sftp',
      '',
    ].join('\n'),
  );
  const child: ChildProcess = spawn(sshd, ['-D', '-f', config], { stdio: 'ignore' });
  for (let tries = 0; tries < 50 && child.exitCode === null && child.signalCode === null; tries++) {
    if (await accepts(port)) {
      const privateKey = readFileSync(join(folder, 'user'), 'utf8');
      return { port, user: userInfo().username, privateKey, stop: () => void child.kill('SIGTERM') };
    }
    await delay(100);
  }
  child.kill('SIGTERM');
  return null;
}
