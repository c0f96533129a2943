import type { ContainerImage, ShownPath } from '@tapline/plugin-sdk';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Engine } from '../engine-tool.ts';
import type { Isolation } from '../isolation.ts';
import type { RunLimits } from '../limits/run-limits.ts';
import type { Workspace } from '../workspace.ts';
import type { Podman } from './container-tool.ts';

/** In the workspace; wiped when the run has ended. Values must not stand among podman's arguments, which everybody can read. */
export const variablesFile = 'env/container';

/** Names within control/. */
export const idFile = 'container';
const pidFile = 'container_pid';
const authFile = 'container_auth';

/** Descriptors 3 and 4 are the events' and the wrapper's; the output goes as 5, since podman gives a container pipes of its own. */
const passOutput = 'exec 5>&1; exec "$@"';
const begin = '. "$1"; shift; cd "$1" || exit 1; shift; exec >&5 2>&5 5>&-; exec "$@"';

export interface Contained {
  podman: Podman;
  image: ContainerImage;
  isolation: Isolation;
  engine: Engine;
  limits: RunLimits;
  workspace: Workspace;
  cwd: string;
  readOnly: readonly ShownPath[];
  writable: readonly ShownPath[];
  /** the engine's own, as it is on the node */
  argv: readonly string[];
}

/**
 * The command that runs the engine of an image in a container instead of the node's own in the sandbox: the same workspace at the same
 * place, the same user, the same descriptors, and nothing else of the node but the network.
 */
export function contain(given: Contained): string[] {
  const { podman, image, workspace, cwd, engine } = given;
  const { work, control } = workspace;
  if (image.registry) writeAuth(join(control, authFile), image.registry);
  return [
    '/bin/sh',
    '-c',
    passOutput,
    'sh',
    podman.command,
    'run',
    `--cidfile=${join(control, idFile)}`,
    `--pidfile=${join(control, pidFile)}`,
    `--pull=${image.pull}`,
    ...(image.registry ? [`--authfile=${join(control, authFile)}`, `--tls-verify=${image.registry.verify}`] : []),
    ...confinement(given),
    ...limitsOf(given.limits),
    ...mounts(given),
    '--entrypoint=["/bin/sh"]',
    image.image,
    '-c',
    begin,
    'sh',
    join(work, variablesFile),
    cwd,
    ...given.argv.map((text) => inImage(text, engine)),
  ];
}

/** For wrapper.py: the process that podman starts is not among those that it started itself. */
export const pidOption = `pidfile=${join('control', pidFile)}`;

function confinement({ podman, isolation, workspace }: Contained): string[] {
  const { uid, gid } = isolation;
  const own = { uid: uid ?? process.getuid?.() ?? 0, gid: gid ?? process.getgid?.() ?? 0 };
  return [
    podman.rootless ? '--userns=keep-id' : `--user=${own.uid}:${own.gid}`,
    `--passwd-entry=runner:x:${own.uid}:${own.gid}::${join(workspace.work, 'home')}:/bin/sh`,
    '--cap-drop=all',
    '--security-opt=no-new-privileges',
    '--security-opt=label=disable',
    '--read-only',
    '--network=host',
    '--preserve-fds=3',
    '--log-driver=none',
    '--http-proxy=false',
    '--workdir=/',
  ];
}

function mounts({ workspace: { work, tmp }, readOnly, writable }: Contained): string[] {
  const volumes = [
    ...[...new Set(readOnly)].map((path) => ({ ...shown(path), how: 'ro' })),
    ...writable.map((path) => ({ ...shown(path), how: 'rw' })),
  ];
  for (const volume of [shown(work), ...volumes]) makeMountPoint(volume, tmp);
  return [
    `--volume=${work}:${work}:rw`,
    `--volume=${tmp}:/tmp:rw`,
    ...volumes.map(({ path, inside, how }) => `--volume=${path}:${inside}:${how}`),
  ];
}

const shown = (path: ShownPath) => (typeof path === 'string' ? { path, inside: path } : path);

/** Of what is shown below /tmp, which is a folder of the workspace: one that podman makes there is not its user's to remove. */
function makeMountPoint({ path, inside }: ReturnType<typeof shown>, tmp: string): void {
  if (!inside.startsWith('/tmp/')) return;
  const place = join(tmp, inside.slice('/tmp/'.length));
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
  mkdirSync(isFolder ? place : dirname(place), { recursive: true });
  if (!isFolder) writeFileSync(place, '');
}

/** Systems let podman have no more, whatever their limit for us is. */
const mostProcesses = 32_768;

/** podman asks for more than an ordinary service has where nothing is said. */
function limitsOf({ wrapper, group }: RunLimits): string[] {
  const own = hardLimits();
  const least = (wanted: number, most: number) => (wanted > 0 ? Math.min(wanted, most) : most);
  const limits = [
    ['nofile', least(wrapper.files, own.files)],
    ['nproc', least(wrapper.processes, Math.min(own.processes, mostProcesses))],
    ...(wrapper.memory > 0 ? [['data', wrapper.memory]] : []),
    ...(wrapper.file > 0 ? [['fsize', wrapper.file]] : []),
  ] as [string, number][];
  return [
    ...limits.filter(([, most]) => Number.isFinite(most)).map(([name, most]) => `--ulimit=${name}=${most}:${most}`),
    ...(group.memory > 0 ? [`--memory=${group.memory}`, `--memory-swap=${group.memory}`] : []),
    ...(group.processes > 0 ? [`--pids-limit=${group.processes}`] : []),
  ];
}

function hardLimits(): { files: number; processes: number } {
  const text = readFileSync('/proc/self/limits', 'utf8');
  const hard = (name: string) => Number(new RegExp(`^Max ${name} +\\S+ +(\\d+)`, 'm').exec(text)?.[1] ?? Infinity);
  return { files: hard('open files'), processes: hard('processes') };
}

/** A program of the node's engine is the image's of that name. */
function inImage(text: string, engine: Engine): string {
  if (text === engine.python) return 'python3';
  return text.startsWith(`${engine.bin}/`) ? basename(text) : text;
}

/** For a shell to read. Where programs are is the image's business. */
export const variables = (env: Readonly<Record<string, string>>): string =>
  Object.entries(env)
    .filter(([name]) => name !== 'PATH')
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`)
    .join('');

function writeAuth(path: string, { host, username, password }: NonNullable<ContainerImage['registry']>): void {
  const auth = Buffer.from(`${username}:${password}`).toString('base64');
  const registry = host.replace(/^https?:\/\//, '').replace(/\/$/, '');
  const auths = username || password ? { [registry]: { auth } } : {};
  writeFileSync(path, JSON.stringify({ auths }), { mode: 0o600 });
}
