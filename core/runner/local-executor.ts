import { type ExecSpec, expandPlaces } from '@tapline/plugin-sdk';
import { existsSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../observe/log.ts';
import type { Settings } from '../settings/settings.ts';
import { assertPlaybookInside, makeCheckout } from './checkout/checkout.ts';
import type { Engine, EngineTool } from './engine-tool.ts';
import { assertArguments, assertEnvironment } from './environment.ts';
import type { ExecStatus, Executor, Handle } from './executor.ts';
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
  removeWorkspace,
  type Workspace,
  workspaceAt,
  writeFiles,
  writeLinks,
  writeReason,
} from './workspace.ts';

interface Deps {
  config: { dataDir: string; engineCgroups?: readonly string[] };
  log: Pick<Log, 'warn'>;
  engineTool: EngineTool;
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
export function createLocalExecutor({ config, log, engineTool, settings }: Deps): Executor {
  const jobFolder = (runId: number) => join(config.dataDir, 'jobs', String(runId));
  const standby = new Standby(log);
  return {
    id: 'local',
    standBy: () => standBy(engineTool, standby),
    close: () => standby.stop(),
    start: (spec) => start(spec, config, engineTool, standby, runLimits(settings)),
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
    cleanup: (handle) => cleanup(handle, log),
  };
}

const place = (handle: Handle): Workspace => workspaceAt(handle.workspace, (handle as LocalHandle).extra_tmp ?? null);

const identityOf = (handle: Handle): ProcessIdentity => {
  const { pid, start, boot } = handle as LocalHandle;
  return pid ? { pid, start, boot } : (readIdentity(place(handle)) ?? { pid: 0, start: 0, boot: '' });
};

const handleFor = (runId: number, workspace: Workspace, identity: ProcessIdentity): LocalHandle => ({
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
  { dataDir, engineCgroups = [] }: Deps['config'],
  engineTool: EngineTool,
  standby: Standby,
  limits: RunLimits,
): Promise<Handle> {
  assertEnvironment(spec.env);
  const [common, engine] = await Promise.all([engineTool.isolation(), engineTool.engine()]);
  const isolation = forRun(common, spec.run_id);
  const job = join(dataDir, 'jobs', String(spec.run_id));
  // mostly there is nothing yet, and to remove nothing takes a millisecond too
  const existing = existsSync(job) ? await recover(spec.run_id, job) : null;
  if (existing) return existing;
  const workspace = makeWorkspace(job, isolation);
  try {
    const { argv, env, options } = await prepare(spec, workspace, {
      isolation,
      engine,
      limits,
      dataDir,
      engineCgroups,
    });
    const wrapper = { python: engine.python, job, argv, env, options };
    const identity = await launchWrapper(wrapper, standby.take(engine.python));
    return handleFor(spec.run_id, workspace, identity);
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
  limits: RunLimits;
  dataDir: string;
  engineCgroups: readonly string[];
}

async function prepare(
  spec: ExecSpec,
  workspace: Workspace,
  { isolation, engine, limits, dataDir, engineCgroups }: Surroundings,
) {
  const { work, control, tmp } = workspace;
  const sandboxed = isolation.mode === 'bubblewrap';
  const places = { workspace: work, tmp: sandboxed ? '/tmp' : tmp };
  const expand = (text: string) => expandPlaces(text, places);
  const keys = agentFiles(spec.sshKeys);
  writeFiles(workspace, [...spec.files, ...keys], isolation, places);
  writeLinks(workspace, spec.links ?? [], isolation);
  const project = join(work, 'project');
  const borrowed = spec.checkout ? await makeCheckout(spec.checkout, project, isolation, limits.checkout) : [];
  if (spec.entry) await assertPlaybookInside(project, spec.entry);
  const found = searchPaths(join(work, spec.cwd, 'ansible.cfg'), spec.searchPaths ?? []);
  const { argv, depth } = confine(isolation, {
    work,
    cwd: join(work, spec.cwd),
    tmp,
    passwd: join(control, 'passwd'),
    group: join(control, 'group'),
    readOnly: [...engine.readOnlyPaths, ...borrowed, ...spec.readOnlyPaths],
    writable: spec.writablePaths ?? [],
    hidden: dataDir,
  });
  const command = [...argv, ...(keys.length ? agentCommand() : []), ...spec.argv].map(expand);
  const env = {
    ...engine.env,
    ...Object.fromEntries(Object.entries({ ...spec.env, ...found }).map(([name, value]) => [name, expand(value)])),
    ...channels,
  };
  assertArguments(command, env);
  return {
    argv: command,
    env: sandboxed ? env : { ...env, TAPLINE_JOB: workspace.job },
    options: [
      `timeout=${spec.timeout_s}`,
      `idle=${spec.idle_s ?? 0}`,
      `grace=${grace}`,
      `limit=${spec.spool_limit_bytes}`,
      `depth=${depth}`,
      `cwd=${spec.cwd}`,
      ...Object.entries(limits.wrapper).map(([name, most]) => `${name}=${most}`),
      ...(isolation.uid === null ? [] : [`uid=${isolation.uid}`, `gid=${isolation.gid}`]),
      ...makeGroups(engineCgroups, workspace.control, spec.run_id, limits.group).map((path) => `cgroup=${path}`),
      ...[...spec.secretPaths, ...keys.map(({ path }) => path)].map((path) => `wipe=${path}`),
    ],
  };
}

async function recover(runId: number, job: string): Promise<LocalHandle | null> {
  const workspace = workspaceAt(job);
  const identity = readIdentity(workspace);
  if (identity) return handleFor(runId, workspace, identity);
  // a wrapper that has not begun finds the file taken and ends; one that was quicker owns the job
  if (!abandon(workspace))
    return handleFor(runId, workspace, readIdentity(workspace) ?? { pid: 0, start: 0, boot: '' });
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

async function cleanup(handle: Handle, log: Deps['log']): Promise<void> {
  const identity = identityOf(handle);
  if (signalProcess(identity, 'SIGTERM')) {
    for (let waited = 0; isAlive(identity) && waited < 5000; waited += 50) await delay(50);
    if (signalProcess(identity, 'SIGKILL'))
      log.warn({ run: (handle as LocalHandle).run_id }, 'A wrapper did not end by itself and was killed');
  }
  if (!place(handle).job.startsWith('/') || !existsSync(place(handle).job)) return;
  // a wrapper that left its record has ended the whole tree before
  if (!readExit(place(handle))) await endStrays(place(handle).job);
  await removeWorkspace(place(handle));
}
