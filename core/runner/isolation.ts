import type { ShownPath } from '@tapline/plugin-sdk';
import { execFile } from 'node:child_process';
import { accessSync, constants, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Isolation {
  mode: 'bubblewrap' | 'uid' | 'none';
  /** why it is not better; '' with bubblewrap */
  reason: string;
  /** the identity a playbook runs with; null = our own. Each run has one of `uids` (`forRun`) */
  uid: number | null;
  gid: number | null;
  uids: UidRange;
  bwrap: string | null;
  setpriv: string | null;
}

export interface UidRange {
  first: number;
  last: number;
}

/** Unused by any distribution, so that nothing on the machine belongs to a playbook. */
export const engineUids: UidRange = { first: 64_321, last: 65_320 };

const find = (name: string) =>
  ['/usr/bin', '/bin', '/usr/sbin', '/usr/local/bin']
    .map((folder) => `${folder}/${name}`)
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    }) ?? null;

/** Tries what this machine allows; takes about 30 ms. */
export async function probeIsolation({
  isRoot = process.getuid?.() === 0,
  bwrap = find('bwrap'),
  setpriv = find('setpriv'),
  uids = engineUids,
} = {}): Promise<Isolation> {
  if (isRoot) assertNobodys(uids);
  const best: Isolation = {
    mode: 'bubblewrap',
    reason: '',
    uid: isRoot ? uids.first : null,
    gid: isRoot ? uids.first : null,
    uids,
    bwrap,
    setpriv,
  };
  const reason = await sandboxProblem(best, isRoot);
  if (!reason) return best;
  if (isRoot && setpriv) {
    return {
      ...best,
      mode: 'uid',
      reason: `${reason}. Playbooks run as users of their own and can read what everybody can`,
      bwrap: null,
    };
  }
  return {
    ...best,
    mode: 'none',
    reason: `${reason}. Playbooks run as this service's own user and can read its data`,
    uid: null,
    gid: null,
    bwrap: null,
  };
}

/** As one run has it: what runs beside it is somebody else. Those whose numbers are a whole range apart share a user. */
export function forRun(isolation: Isolation, run: number): Isolation {
  if (isolation.uid === null) return isolation;
  const { first, last } = isolation.uids;
  // the last one is the evaluating process's (sandbox/sandbox.ts)
  const uid = first + (run % Math.max(1, last - first));
  return { ...isolation, uid, gid: uid };
}

/** @throws where somebody of this machine would be a playbook's user: the embedded Postgres above all */
function assertNobodys({ first, last }: UidRange): void {
  const owner = read('/etc/passwd')
    .map((line) => line.split(':'))
    .find((fields) => Number(fields[2]) >= first && Number(fields[2]) <= last);
  if (!owner) return;
  throw new Error(
    `The user ids ${first}-${last} are for playbooks, but ${owner[2]} is the user "${owner[0]}". Set ENGINE_UIDS to a range that nobody has.`,
  );
}

/** '' where bubblewrap does what we need of it, else what stands in the way. */
async function sandboxProblem(isolation: Isolation, isRoot: boolean): Promise<string> {
  const { bwrap, setpriv } = isolation;
  if (!bwrap) return 'bubblewrap (bwrap) is not installed; install the package "bubblewrap"';
  if (isRoot && !setpriv) return 'setpriv is not installed; install the package "util-linux"';
  const system = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'];
  const argv = [...namespaces(isolation), ...system, ...identity(isolation), '/usr/bin/id', '-u'];
  try {
    const { stdout } = await run(bwrap, argv, { env: { PATH: '/usr/bin:/bin' }, timeout: 10_000, cwd: '/' });
    if (!isRoot || stdout.trim() === String(isolation.uid)) return '';
    return `bubblewrap ran a program as user ${stdout.trim()} instead of ${isolation.uid}`;
  } catch (error) {
    const said = String((error as { stderr?: string }).stderr || (error as Error).message)
      .trim()
      .split('\n')[0];
    return `bubblewrap does not work on this machine (${said})${isRoot ? '' : '; allow unprivileged user namespaces'}`;
  }
}

function namespaces({ uid }: Isolation): string[] {
  return [
    ...(uid === null ? ['--unshare-user'] : []),
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--die-with-parent',
  ];
}

/** What changes to the engine's user inside: bubblewrap itself starts as root and drops nothing. */
function identity({ uid, gid, setpriv, mode }: Isolation): string[] {
  if (uid === null || !setpriv) return mode === 'none' && setpriv ? [setpriv, '--pdeathsig', 'KILL', '--'] : [];
  const drop = [setpriv, `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--inh-caps=-all'];
  if (mode !== 'bubblewrap') return [...drop, '--no-new-privs', '--pdeathsig', 'KILL', '--'];
  return [
    '--cap-add',
    'CAP_SETUID',
    '--cap-add',
    'CAP_SETGID',
    '--cap-add',
    'CAP_SETPCAP',
    ...drop,
    '--bounding-set=-all',
    '--',
  ];
}

export interface Sight {
  /** the engine's folder, read and write at its own path */
  work: string;
  cwd: string;
  /** a folder shown as /tmp */
  tmp: string;
  passwd: string;
  group: string;
  readOnly: ShownPath[];
  writable: ShownPath[];
  /** a folder that is not seen, even where one above it is; what of it is shown by itself stays */
  hidden: string;
}

const ends = (shown: ShownPath) => (typeof shown === 'string' ? [shown, shown] : [shown.path, shown.inside]);

/**
 * The command in front of the engine's own. The wrapper must know how many processes it adds:
 * bubblewrap's monitor and the first process of the new namespace.
 */
export function confine(isolation: Isolation, sight: Sight): { argv: string[]; depth: number } {
  if (isolation.mode !== 'bubblewrap' || !isolation.bwrap) return { argv: identity(isolation), depth: 0 };
  const binds = [
    ...sight.readOnly.map((path) => ['--ro-bind', ...ends(path)]),
    ...sight.writable.map((path) => ['--bind', ...ends(path)]),
    ['--bind', sight.work, sight.work],
  ] as Bind[];
  const around = binds.filter(([, path]) => isBelow(real(sight.hidden), real(path)));
  const argv = [
    isolation.bwrap,
    ...namespaces(isolation),
    ...systemFolders(),
    ...privateFolders(sight),
    ...resolver(),
    ...parents(binds.map(([, , inside]) => inside)),
    ...around.flat(),
    ...covers(sight.hidden, around),
    ...parents(binds.map(([, , inside]) => inside).filter((inside) => isBelow(inside, sight.hidden))),
    ...binds.filter((bind) => !around.includes(bind)).flat(),
    '--remount-ro',
    '/',
    '--chdir',
    sight.cwd,
    ...identity(isolation),
  ];
  return { argv, depth: 2 };
}

type Bind = [option: string, path: string, inside: string];

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`);

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const system = ['/usr', '/etc', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt'];

/** The folder that shows `path` to every playbook; undefined where none does. */
export const shownBy = (path: string, shown: readonly string[] = []): string | undefined =>
  [...system, ...shown].find((folder) => isBelow(real(path), real(folder)));

/** An empty folder wherever a folder above shows the hidden one. */
function covers(hidden: string, around: readonly Bind[]): string[] {
  const places = [
    ...(shownBy(hidden) === undefined ? [] : [real(hidden)]),
    ...around.map(([, path, inside]) => join(inside, relative(real(path), real(hidden)))),
  ];
  return places.flatMap((place) => ['--tmpfs', place]);
}

/** What every job has for itself: devices, accounts and empty places to write to. */
function privateFolders({ passwd, group, tmp }: Sight): string[] {
  const steps = [
    ['--proc', '/proc'],
    ['--dev', '/dev'],
    ['--perms', '1777', '--tmpfs', '/dev/shm'],
    ['--ro-bind', passwd, '/etc/passwd'],
    ['--ro-bind', group, '/etc/group'],
    ['--tmpfs', '/run'],
    ['--tmpfs', '/var'],
    ['--perms', '1777', '--tmpfs', '/var/tmp'],
    ['--tmpfs', '/home'],
    ['--tmpfs', '/root'],
    // before the rest: the data folder may itself lie below /tmp
    ['--bind', tmp, '/tmp'],
  ];
  return steps.flat();
}

let folders: string[] | undefined;

/** Programs and configuration of the system, read-only; merged-usr systems have links in the root. */
function systemFolders(): string[] {
  return (folders ??= system.flatMap((path) => {
    try {
      return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
    } catch {
      return [];
    }
  }));
}

/** Where /etc/resolv.conf is a link into /run, its target must be seen too. */
function resolver(): string[] {
  try {
    const real = realpathSync('/etc/resolv.conf');
    return real.startsWith('/etc/') ? [] : [...parents([real]), '--ro-bind-try', real, real];
  } catch {
    return [];
  }
}

/** bubblewrap makes missing folders for its own user only; the engine's must be able to pass. */
function parents(paths: string[]): string[] {
  const seen = new Set<string>();
  for (const path of paths) {
    const above: string[] = [];
    for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) above.unshift(folder);
    for (const folder of above) seen.add(folder);
  }
  const given = [
    '/usr',
    '/etc',
    '/tmp',
    '/run',
    '/var',
    '/home',
    '/root',
    '/proc',
    '/dev',
    '/bin',
    '/lib',
    '/sbin',
    '/opt',
  ];
  return [...seen]
    .filter((folder) => !given.includes(folder))
    .flatMap((folder) => ['--perms', '0755', '--dir', folder]);
}

/** Just enough for programs that look their user up (ssh does). */
export function accounts({ uid, gid }: Isolation, home: string): { passwd: string; group: string } {
  const own = { uid: uid ?? process.getuid?.() ?? 0, gid: gid ?? process.getgid?.() ?? 0 };
  const lines = (file: string, name: string, line: string) =>
    [
      line,
      ...read(file).filter(
        (other) => other && !other.startsWith(`${name}:`) && other.split(':')[2] !== line.split(':')[2],
      ),
    ].join('\n') + '\n';
  return {
    passwd: lines('/etc/passwd', 'runner', `runner:x:${own.uid}:${own.gid}::${home}:/bin/sh`),
    group: lines('/etc/group', 'runner', `runner:x:${own.gid}:`),
  };
}

const cache = new Map<string, string[]>();
function read(file: string): string[] {
  let lines = cache.get(file);
  if (!lines) {
    try {
      lines = readFileSync(file, 'utf8').split('\n');
    } catch {
      lines = [];
    }
    cache.set(file, lines);
  }
  return lines;
}
