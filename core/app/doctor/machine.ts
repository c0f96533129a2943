import { existsSync, statfsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

const wantedFreeBytes = 1024 ** 3;

/** Runtime, user, tools, disk, clock. */
export function checkMachine(config: Pick<Config, 'dataDir'>): Finding[] {
  return [
    ok(
      `Node ${process.versions.node} on ${process.platform}-${process.arch}, ${availableParallelism()} processors, ${Math.round(totalmem() / 1024 ** 2)} MB`,
    ),
    process.getuid?.() === 0
      ? ok('runs as root: playbooks and the embedded Postgres get users of their own')
      : ok('runs as an ordinary user: playbooks run as the same user, kept apart by bubblewrap alone'),
    ...tools(),
    disk(config.dataDir),
    new Date().getUTCFullYear() >= 2025
      ? ok(`clock: ${new Date().toISOString()}`)
      : fail(`clock: ${new Date().toISOString()} cannot be right`, 'Set the clock; tokens and schedules depend on it.'),
  ];
}

const wanted = [
  ['git', 'git', 'projects from git cannot be updated'],
  ['ssh', 'openssh-client', 'hosts cannot be reached by ssh'],
  ['ssh-agent', 'openssh-client', 'keys with a passphrase cannot be used'],
  ['sshpass', 'sshpass', 'hosts cannot be reached by ssh with a password'],
] as const;

function tools(): Finding[] {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin', '/bin'];
  return wanted.map(([tool, debian, effect]) => {
    const found = folders.map((folder) => join(folder, tool)).find((path) => existsSync(path));
    return found
      ? ok(`${tool}: ${found}`)
      : warn(`${tool} is missing: ${effect}`, `Install it (Debian: apt-get install ${debian}).`);
  });
}

function disk(dataDir: string): Finding {
  let at = dataDir;
  while (!existsSync(at)) at = dirname(at);
  const { bavail, bsize } = statfsSync(at);
  const free = bavail * bsize;
  const text = `${Math.round(free / 1024 ** 2)} MB free for the data folder`;
  return free >= wantedFreeBytes
    ? ok(text)
    : warn(text, `Make room on the disk of ${at}: a full disk ends jobs and stops the database.`);
}
