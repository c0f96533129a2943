import { type ExecSpec, expandPlaces, type ShownPath, SpecError } from '@tapline/plugin-sdk';
import { existsSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../observe/log.ts';
import type { Settings } from '../settings/settings.ts';
import { assertPlaybookInside, makeCheckout } from './checkout/checkout.ts';
import { contain, idFile, pidOption, variables, variablesFile } from './container/contain.ts';
import { clientEnvironment, type ContainerTool, type Podman, removeContainer } from './container/container-tool.ts';
import type { Engine, EngineTool } from './engine-tool.ts';
import { assertArguments, assertEnvironment } from './environment.ts';
import type { Told, ExecStatus, Executor, Handle } from './executor.ts';
import { confine, forRun, type Isolation } from './isolation.ts';
import { LateReport, launchWrapper } from './launch-wrapper.ts';
import { endStrays } from './leftovers.ts';
import { bootId, isAlive, type ProcessIdentity, signalProcess } from './process-identity.ts';
import { makeGroups } from './limits/cgroup.ts';
import { type RunLimits, runLimits } from './limits/run-limits.ts';
import { searchPaths } from './project-config.ts';
import { readFolder } from './read-folder.ts';
import { agentCommand, agentFiles } from './ssh-agent.ts';
import { Standby } from './standby.ts';
import { watchSpool } from './watch-spool.ts';
import {
  abandon,
  acknowledgement,
  makeWorkspace,
  readExit,
  readIdentity,
  readTold,
  removeWorkspace,
  type Workspace,
  workspaceAt,
  workspaceFound,
  writeFiles,
  writeLinks,
  writeReason,
} from './workspace.ts';

interface Deps {
  config: { dataDir: string; engineCgroups?: readonly string[] };
  log: Pick<Log, 'warn'>;
  engineTool: EngineTool;
  /** none: no run is executed in a container */
  containerTool?: ContainerTool;
  /** none without them */
  settings?: Settings;
}

interface LocalHandle extends Handle {
  run_id: number;
  pid: number;
  start: number;
  boot: string;
  extra_tmp: string | null;
}

/** Seconds between the polite signal and the end of the tree: a cancel takes effect within two. */
const grace = 1.2;

const shortRead = 16_384;

/** Where the callback plugin finds what the wrapper opened for it. */
const channels = { TAPLINE_EVENTS_FD: '3', TAPLINE_CONTROL_FD: '4' };

/** Runs the engine as a detached process on this machine. */
export function createLocalExecutor({ config, log, engineTool, containerTool, settings }: Deps): Executor {
  const jobFolder = (runId: number) => join(config.dataDir, 'jobs', String(runId));
  const standby = new Standby(log);
  return {
    id: 'local',
    standBy: () => standBy(engineTool, standby),
    close: () => standby.stop(),
    start: (spec, told = {}) =>
      start(spec, told, config, { engineTool, containerTool, standby, limits: runLimits(settings) }),
    recover: (runId) => recover(runId, jobFolder(runId)),
    held: () => heldRuns(join(config.dataDir, 'jobs')),
    status: async (handle) => status(handle),
    watch: (handle, changed) => watchSpool(place(handle), changed),
    read,
    acknowledge,
    cancel: async (handle) => void signalProcess(identityOf(handle), 'SIGTERM'),
    async endAtLimit(handle, detail) {
      writeReason(place(handle), detail);
      signalProcess(identityOf(handle), 'SIGTERM');
    },
    readFolder: (handle, folder, only) => readFolder(place(handle).work, folder, only),
    localFolder: async (handle, folder) => join(place(handle).work, folder),
    cleanup: (handle) => cleanup(handle, log, containerTool),
  };
}

const place = (handle: Handle): Workspace => workspaceAt(handle.workspace, (handle as LocalHandle).extra_tmp ?? null);

const identityOf = (handle: Handle): ProcessIdentity => {
  const { pid, start, boot } = handle as LocalHandle;
  return pid ? { pid, start, boot } : (readIdentity(place(handle)) ?? { pid: 0, start: 0, boot: '' });
};

const handleFor = (runId: number, workspace: Workspace, identity: ProcessIdentity, told: Told): LocalHandle => ({
  ...told,
  executor: 'local',
  workspace: workspace.job,
  run_id: runId,
  extra_tmp: workspace.extraTmp,
  ...identity,
});

/** Not where playbooks run as ourselves: what serves the next job must be out of this one's reach. */
async function standBy(engineTool: EngineTool, standby: Standby): Promise<void> {
  const [isolation, engine] = await Promise.all([engineTool.isolation(), engineTool.engine()]);
  if (isolation.mode !== 'none') standby.keep(engine.python);
}

async function start(
  spec: ExecSpec,
  told: Told,
  { dataDir, engineCgroups = [] }: Deps['config'],
  {
    engineTool,
    containerTool,
    standby,
    limits,
  }: Pick<Deps, 'engineTool' | 'containerTool'> & {
    standby: Standby;
    limits: RunLimits;
  },
): Promise<Handle> {
  assertEnvironment(spec.env);
  const [common, engine, podman] = await Promise.all([
    engineTool.isolation(),
    engineTool.engine(),
    spec.container && containerTool ? containerTool.podman() : null,
  ]);
  const isolation = forRun(common, spec.run_id);
  const job = join(dataDir, 'jobs', String(spec.run_id));
  // mostly there is nothing yet, and to remove nothing takes a millisecond too
  const existing = existsSync(job) ? await recover(spec.run_id, job) : null;
  if (existing) return existing;
  const workspace = makeWorkspace(job, isolation, told);
  try {
    const { argv, env, options } = await prepare(spec, workspace, {
      isolation,
      engine,
      podman,
      limits,
      dataDir,
      engineCgroups,
    });
    const wrapper = { python: engine.python, job, argv, env, options };
    const identity = await launchWrapper(wrapper, standby.take(engine.python));
    return handleFor(spec.run_id, workspace, identity, told);
  } catch (error) {
    // a wrapper that was only slow to say so has begun all the same, and the run is its own
    if (error instanceof LateReport && !abandon(workspace)) {
      const late = await recover(spec.run_id, job);
      if (late) return late;
    }
    await removeWorkspace(workspace);
    throw error;
  }
}

interface Surroundings {
  isolation: Isolation;
  engine: Engine;
  /** for a run in a container */
  podman: Podman | null;
  limits: RunLimits;
  dataDir: string;
  engineCgroups: readonly string[];
}

async function prepare(spec: ExecSpec, workspace: Workspace, around: Surroundings) {
  const { isolation, limits } = around;
  const { work, tmp } = workspace;
  const ownTmp = spec.container || isolation.mode === 'bubblewrap' ? '/tmp' : tmp;
  const places = { workspace: work, tmp: ownTmp };
  const expand = (text: string) => expandPlaces(text, places);
  const keys = agentFiles(spec.sshKeys);
  writeFiles(workspace, [...spec.files, ...keys], isolation, places);
  writeLinks(workspace, spec.links ?? [], isolation);
  const project = join(work, 'project');
  const borrowed = spec.checkout ? await makeCheckout(spec.checkout, project, isolation, limits.checkout) : [];
  if (spec.entry) await assertPlaybookInside(project, spec.entry);
  const found = searchPaths(join(work, spec.cwd, 'ansible.cfg'), spec.searchPaths ?? []);
  const given = Object.entries({ ...spec.env, ...found }).map(([name, value]) => [name, expand(value)]);
  const inside: Inside = {
    argv: [...(keys.length ? agentCommand() : []), ...spec.argv].map(expand),
    env: { ...Object.fromEntries(given), ...channels },
    readOnly: [...borrowed, ...spec.readOnlyPaths],
  };
  const { argv, env, options } = spec.container
    ? inContainer(spec, workspace, around, inside)
    : inSandbox(spec, workspace, around, inside);
  assertArguments(argv, env);
  return {
    argv,
    env,
    options: [
      `timeout=${spec.timeout_s}`,
      `idle=${spec.idle_s ?? 0}`,
      `grace=${grace}`,
      `limit=${spec.spool_limit_bytes}`,
      `cwd=${spec.cwd}`,
      ...options,
      ...(isolation.uid === null ? [] : [`uid=${isolation.uid}`, `gid=${isolation.gid}`]),
      ...[...spec.secretPaths, ...keys.map(({ path }) => path)].map((path) => `wipe=${path}`),
    ],
  };
}

/** What is executed, and what it sees besides its workspace. */
interface Inside {
  argv: string[];
  env: Record<string, string>;
  readOnly: ShownPath[];
}

interface Enclosed {
  argv: string[];
  env: Record<string, string>;
  /** for the wrapper */
  options: string[];
}

const wrapperLimits = (limits: Partial<RunLimits['wrapper']>) =>
  Object.entries(limits).map(([name, most]) => `${name}=${most}`);

function inSandbox(spec: ExecSpec, workspace: Workspace, around: Surroundings, inside: Inside): Enclosed {
  const { isolation, engine, limits, dataDir, engineCgroups } = around;
  const { work, control, tmp } = workspace;
  const { argv, depth } = confine(isolation, {
    work,
    cwd: join(work, spec.cwd),
    tmp,
    passwd: join(control, 'passwd'),
    group: join(control, 'group'),
    readOnly: [...engine.readOnlyPaths, ...inside.readOnly],
    writable: spec.writablePaths ?? [],
    hidden: dataDir,
  });
  const env = { ...engine.env, ...inside.env };
  return {
    argv: [...argv, ...inside.argv],
    env: isolation.mode === 'bubblewrap' ? env : { ...env, TAPLINE_JOB: workspace.job },
    options: [
      `depth=${depth}`,
      ...wrapperLimits(limits.wrapper),
      ...makeGroups(engineCgroups, control, spec.run_id, limits.group).map((path) => `cgroup=${path}`),
    ],
  };
}

/** Limits are the container's own: podman fetches images and must not be held to them. */
function inContainer(spec: ExecSpec, workspace: Workspace, around: Surroundings, inside: Inside): Enclosed {
  const { isolation, engine, podman, limits } = around;
  if (!podman) throw new SpecError('This service starts no containers.');
  const content = variables(inside.env);
  writeFiles(workspace, [{ path: variablesFile, content }], isolation, { workspace: workspace.work, tmp: '/tmp' });
  const argv = contain({
    podman,
    image: spec.container!,
    isolation,
    engine,
    limits,
    workspace,
    cwd: join(workspace.work, spec.cwd),
    readOnly: inside.readOnly,
    writable: spec.writablePaths ?? [],
    argv: inside.argv,
  });
  const { stdout, events } = limits.wrapper;
  const options = ['depth=1', pidOption, ...wrapperLimits({ stdout, events }), `wipe=${variablesFile}`];
  return { argv, env: clientEnvironment(), options };
}

async function recover(runId: number, job: string): Promise<LocalHandle | null> {
  const workspace = workspaceFound(job);
  const identity = readIdentity(workspace);
  const told = readTold(workspace);
  if (identity) return handleFor(runId, workspace, identity, told);
  // a wrapper that has not begun finds the file taken and ends; one that was quicker owns the job
  if (!abandon(workspace))
    return handleFor(runId, workspace, readIdentity(workspace) ?? { pid: 0, start: 0, boot: '' }, told);
  await removeWorkspace(workspace);
  return null;
}

async function heldRuns(jobs: string): Promise<number[]> {
  const names = await readdir(jobs).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => /^\d{1,15}$/.test(name)).map(Number);
}

function status(handle: Handle): ExecStatus {
  const workspace = place(handle);
  const before = readExit(workspace);
  if (before) return { state: 'exited', exit: before };
  const identity = identityOf(handle);
  if (isAlive(identity)) return { state: 'running' };
  // it may have ended between the two looks
  const after = readExit(workspace);
  if (after) return { state: 'exited', exit: after };
  return {
    state: 'lost',
    detail:
      identity.boot && identity.boot !== bootId()
        ? 'The machine was restarted while the job ran.'
        : 'The process that ran the job is gone and left no result: it was killed from outside.',
  };
}

/** Mostly there are a few lines: one short read, and the file's size is only asked for when that was not all. */
async function read(handle: Handle, stream: 'events' | 'stdout', offset: number, limit: number): Promise<Buffer> {
  const file = await open(join(place(handle).spool, stream), 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!file) return Buffer.alloc(0);
  try {
    const short = Buffer.allocUnsafe(Math.min(limit, shortRead));
    const { bytesRead: got } = await file.read(short, 0, short.length, offset);
    if (got < short.length || got === limit) return short.subarray(0, got);
    const { size } = await file.stat();
    const whole = Buffer.allocUnsafe(Math.max(got, Math.min(limit, size - offset)));
    short.copy(whole);
    const { bytesRead: more } = await file.read(whole, got, whole.length - got, offset + got);
    return whole.subarray(0, got + more);
  } finally {
    await file.close();
  }
}

/** In place and at a fixed size: works on a full disk, and the wrapper never reads half a number. */
async function acknowledge(handle: Handle, stored: { events: number; stdout: number }): Promise<void> {
  const file = await open(join(place(handle).control, 'ack'), 'r+');
  try {
    await file.write(acknowledgement(stored), 0);
  } finally {
    await file.close();
  }
}

async function cleanup(handle: Handle, log: Deps['log'], containerTool?: ContainerTool): Promise<void> {
  const identity = identityOf(handle);
  if (signalProcess(identity, 'SIGTERM')) {
    for (let waited = 0; isAlive(identity) && waited < 5000; waited += 50) await delay(50);
    if (signalProcess(identity, 'SIGKILL'))
      log.warn({ run: (handle as LocalHandle).run_id }, 'A wrapper did not end by itself and was killed');
  }
  if (!place(handle).job.startsWith('/') || !existsSync(place(handle).job)) return;
  const container = join(place(handle).control, idFile);
  if (containerTool && existsSync(container)) await removeContainer(await containerTool.podman(), container);
  // a wrapper that left its record has ended the whole tree before
  if (!readExit(place(handle))) await endStrays(place(handle).job);
  await removeWorkspace(place(handle));
}
