import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Log } from '../observe/log.ts';
import { engineFiles } from './engine-files.ts';
import { type Isolation, probeIsolation, type UidRange } from './isolation.ts';

const run = promisify(execFile);

export interface Engine {
  /** absolute path of ansible-playbook */
  command: string;
  /** its folder, where its sibling programs are */
  bin: string;
  /** of the engine, such as 2.19.14 */
  version: string;
  python: string;
  /** folders outside the system's own that it needs to see */
  readOnlyPaths: string[];
  /** what its Python needs in the environment */
  env: Record<string, string>;
}

export interface EngineTool {
  /** @throws EngineMissingError saying what to install */
  engine(): Promise<Engine>;
  /** How playbooks are kept apart from the service, and why not better. */
  isolation(): Promise<Isolation>;
}

export class EngineMissingError extends Error {
  override name = 'EngineMissingError';
}

interface Deps {
  config: { root: string; dataDir: string; engineCommand: string; engineUids?: UidRange };
  log: Pick<Log, 'warn'>;
}

export function createEngineTool({ config, log }: Deps): EngineTool {
  let isolation: Promise<Isolation> | undefined;
  let known: { key: string; engine: Promise<Engine> } | undefined;
  return {
    async engine() {
      const command = findEngine(config);
      // an upgrade replaces files, the engine's or ours: their times of change tell
      const key = [command, ...[command, ...plugins].map((file) => statSync(file).mtimeMs)].join(' ');
      if (known?.key !== key) {
        known = { key, engine: cachedProbe(join(config.dataDir, 'cache'), key, command) };
        known.engine.catch(() => (known = undefined));
      }
      return known.engine;
    },
    isolation: () =>
      (isolation ??= probeIsolation(config.engineUids && { uids: config.engineUids }).then((found) => {
        if (found.mode !== 'bubblewrap')
          log.warn({ isolation: found.mode, reason: found.reason }, `Playbooks run without a sandbox: ${found.reason}`);
        return found;
      })),
  };
}

/** The configured command, else the one that set-up installed, else the first on PATH. */
export function findEngine(
  { root, engineCommand }: { root: string; engineCommand: string },
  path = process.env['PATH'] ?? '',
): string {
  if (engineCommand) {
    const found =
      isAbsolute(engineCommand) || engineCommand.includes('/') ? resolve(engineCommand) : search(engineCommand, path);
    if (found && isProgram(found)) return found;
    throw new EngineMissingError(
      `ENGINE_COMMAND is "${engineCommand}", but there is no such program. Correct it, or unset it to use the engine that set-up installs.`,
    );
  }
  const installed = join(root, '.tools', 'engine', 'bin', 'ansible-playbook');
  const found = isProgram(installed) ? installed : search('ansible-playbook', path);
  if (found) return found;
  throw new EngineMissingError(
    'No automation engine was found. Run "npm run setup", or install ansible-core and point ENGINE_COMMAND at its ansible-playbook.',
  );
}

const search = (name: string, path: string) =>
  path
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => resolve(folder, name))
    .find(isProgram);

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Asking the engine costs half a second of every start, so the answer is kept beside the data. */
async function cachedProbe(folder: string, key: string, command: string): Promise<Engine> {
  const file = join(folder, 'engine.json');
  try {
    const cached = JSON.parse(readFileSync(file, 'utf8'));
    if (cached.key === key) return cached.engine;
  } catch {
    // not there yet, or unreadable: ask again
  }
  const engine = await probeEngine(command);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify({ key, engine }), { mode: 0o600 });
  } catch {
    // a cache only
  }
  return engine;
}

const plugins = ['callback/tapline_events.py', 'cache/tapline_facts.py'].map((name) => join(engineFiles, name));

const placesOfPython =
  'import json, site, sys; print(json.dumps([sys.prefix, sys.base_prefix, site.getuserbase(), sys.version_info[:2]]))';

async function probeEngine(command: string): Promise<Engine> {
  const bin = dirname(command);
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? '/usr/bin:/bin'}`,
    HOME: process.env['HOME'] ?? '/',
    LANG: 'C.UTF-8',
    // a service may have no home, or none that it can write to
    ANSIBLE_LOCAL_TEMP: tmpdir(),
  };
  const options = { env, cwd: '/', timeout: 30_000 };
  const { stdout } = await run(command, ['--version'], options).catch((error: Error) => {
    throw new EngineMissingError(
      `The engine ${command} does not start: ${error.message.split('\n').slice(0, 3).join(' ')}`,
    );
  });
  const version = /\[core ([^\]]{1,100})\]/.exec(stdout)?.[1] ?? 'unknown';
  const python = /python version = .{0,500}\((\/[^()]{1,500})\)\s{0,10}$/m.exec(stdout)?.[1] ?? 'python3';
  const module = /ansible python module location = (.{1,4096})$/m.exec(stdout)?.[1] ?? '';
  const [prefix, base, userBase] = JSON.parse((await run(python, ['-c', placesOfPython], options)).stdout) as [
    string,
    string,
    string,
  ];
  // the sandbox shows our plugins read-only: their compiled form has to be there before
  await run(python, ['-m', 'py_compile', ...plugins], options).catch(() => undefined);
  const places = [
    prefix,
    base,
    module && dirname(module),
    python.startsWith('/') && dirname(realpathSync(python)),
    bin,
  ];
  return {
    command,
    bin,
    version,
    python,
    readOnlyPaths: outermost(places.filter((place): place is string => Boolean(place) && existsSync(place as string))),
    env: module.startsWith(`${userBase}/`) ? { PYTHONUSERBASE: userBase } : {},
  };
}

const system = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc'];
const below = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** Without what the sandbox shows anyway, and without folders inside others. */
function outermost(paths: string[]): string[] {
  const own = [...new Set(paths)].filter((path) => path !== '/' && !system.some((folder) => below(path, folder)));
  return own.filter((path) => !own.some((other) => other !== path && below(path, other)));
}
