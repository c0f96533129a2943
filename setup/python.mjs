import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, tail } from './run.mjs';

/** What the pinned Python programs run on. */
export const oldest = 11;
export const newest = 13;

const stampFile = (folder) => join(folder, '.tapline-stamp');
export const writeStamp = (folder, stamp) => writeFileSync(stampFile(folder), stamp);
export const readStamp = (folder) => (existsSync(stampFile(folder)) ? readFileSync(stampFile(folder), 'utf8') : '');

/** Its programs hold the folder's path and run on one interpreter: moved, or with another Python, it is of no use. */
export function environmentStamp(folder, requirements) {
  const python = join(folder, 'bin', 'python');
  const interpreter = existsSync(python) ? realpathSync(python) : 'none';
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  return [wanted, folder, interpreter].join('\n');
}

/** A virtual environment with exactly the locked packages in it; `problem` says why there is none. */
export async function makeEnvironment(folder, python, requirements, label) {
  let venv = await run(python, ['-m', 'venv', folder]);
  if (!venv.ok) venv = await run(python, ['-m', 'venv', '--clear', '--without-pip', folder]);
  if (!venv.ok) return { problem: `no virtual environment could be made: ${tail(venv.output, 3)}` };
  const target = join(folder, 'bin', 'python');
  const args = [
    'install',
    '--require-hashes',
    '--only-binary=:all:',
    '--disable-pip-version-check',
    '--no-input',
    '--timeout',
    '20',
    '--retries',
    '2',
    '-r',
    requirements,
  ];
  const pip = await pipOf(target);
  if (!pip) return { problem: 'it has neither the module ensurepip nor pip' };
  const result = await run(pip[0], [...pip[1], ...args], { label });
  return result.ok ? { seconds: result.seconds } : { problem: tail(result.output, 3) };
}

/** Its program and first arguments. Debian ships Python without ensurepip; any other pip can serve it. */
export async function pipOf(target) {
  const own = await run(target, ['-m', 'pip', '--version']);
  if (own.ok) return [target, ['-m', 'pip']];
  for (const program of ['/usr/bin/pip3', 'pip3', 'pip']) {
    const result = await run(program, ['--python', target, '--version']);
    if (result.ok) return [program, ['--python', target]];
  }
  return null;
}

/** Interpreters of the system first: one in somebody's home or behind a version manager's shim cannot be run by the user that playbooks get. */
export async function findPythons() {
  const names = [];
  for (let minor = newest; minor >= oldest; minor--) names.push(`python3.${minor}`);
  names.push('python3');
  const script = 'import sys; print(sys.version_info[0], sys.version_info[1], sys.base_prefix)';
  const seen = new Map();
  for (const candidate of [
    ...names.map((name) => `/usr/bin/${name}`),
    ...names.map((name) => `/usr/local/bin/${name}`),
    ...names,
  ]) {
    if (candidate.startsWith('/') && !existsSync(candidate)) continue;
    const result = await run(candidate, ['-c', script], { timeoutMs: 10_000 });
    const [major, minor, ...prefix] = result.output.split(' ');
    const fits = result.ok && major === '3' && Number(minor) >= oldest && Number(minor) <= newest;
    if (fits && !seen.has(prefix.join(' ') + minor)) seen.set(prefix.join(' ') + minor, candidate);
  }
  return [...seen.values()];
}
