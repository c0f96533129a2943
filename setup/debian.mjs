import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './run.mjs';

export function findProgram(name) {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/bin',
    '/sbin',
    '/bin',
    '/usr/local/bin',
  ];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

export const canApt = () => process.getuid?.() === 0 && findProgram('apt-get') !== null;

export async function aptInstall(packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = () =>
    run('apt-get', ['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', ...packages], {
      env,
      label: `installing ${packages.join(' ')}`,
    });
  const first = await install();
  if (first.ok) return first;
  // a fresh image has no package lists
  await run('apt-get', ['update', '-o', 'DPkg::Lock::Timeout=120'], { env, label: 'apt-get update' });
  return install();
}
