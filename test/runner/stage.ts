import { execFile } from 'node:child_process';
import { chownSync, chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEngineTool, type EngineTool } from '../../core/runner/engine-tool.ts';
import type { ExecStatus, Executor, Handle, SpoolEvent } from '../../core/runner/executor.ts';
import { buildJobSpec, type JobSpec, type JobSpecInput } from '../../core/runner/job-spec.ts';
import { createLocalExecutor } from '../../core/runner/local-executor.ts';
import { silentLog } from '../support/log.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
export const root = join(import.meta.dirname, '..', '..');
export const playbooks = join(import.meta.dirname, '..', 'playbooks');
export const isRoot = process.getuid?.() === 0;

/** Hosts that are this machine, with a Python that is sure to work. */
export const localHosts = (...names: string[]) => ({
  all: { hosts: names },
  _meta: {
    hostvars: Object.fromEntries(
      names.map((name) => [
        name,
        { ansible_connection: 'local', ansible_python_interpreter: '{{ ansible_playbook_python }}' },
      ]),
    ),
  },
});

export interface Stage {
  dataDir: string;
  executor: Executor;
  engineTool: EngineTool;
  spec(
    playbook: string,
    changes?: Partial<Omit<JobSpecInput, 'run'>> & { run?: Partial<JobSpecInput['run']> },
  ): Promise<JobSpec>;
  /** Starts it and waits for its end. */
  run(spec: JobSpec): Promise<Finished>;
  finished(handle: Handle): Promise<Finished>;
  /** Cleans up everything that was started. */
  end(): Promise<void>;
}

export interface Finished {
  handle: Handle;
  status: Exclude<ExecStatus, { state: 'running' }>;
  stdout: string;
  events: SpoolEvent[];
}

let nextRun = 1;

export function makeStage(dataDir = mkdtempSync(join(tmpdir(), 'tapline-runner-'))): Stage {
  const config = { root, dataDir, engineCommand: '' };
  const engineTool = createEngineTool({ config, log: silentLog });
  const executor = createLocalExecutor({ config, log: silentLog, engineTool });
  const handles: Handle[] = [];
  const finished = async (handle: Handle): Promise<Finished> => {
    const status = await until(
      async () => {
        const found = await executor.status(handle);
        return found.state === 'running' ? null : found;
      },
      60_000,
      'the end of the run',
    );
    const stdout = String(await executor.read(handle, 'stdout', 0, 64 << 20));
    const lines = String(await executor.read(handle, 'events', 0, 64 << 20))
      .split('\n')
      .filter(Boolean);
    return { handle, status, stdout, events: lines.map((line) => JSON.parse(line)) };
  };
  const start = executor.start.bind(executor);
  executor.start = async (spec) => {
    const handle = await start(spec);
    handles.push(handle);
    return handle;
  };
  return {
    dataDir,
    executor,
    engineTool,
    spec: async (playbook, changes = {}) => buildJobSpec(await specInput(engineTool, playbook, changes)),
    run: async (spec) => finished(await executor.start(spec)),
    finished,
    async end() {
      executor.close();
      await Promise.all(handles.map((handle) => executor.cleanup(handle)));
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function specInput(
  engineTool: EngineTool,
  playbook: string,
  { run: fields, ...changes }: Partial<Omit<JobSpecInput, 'run'>> & { run?: Partial<JobSpecInput['run']> },
): Promise<JobSpecInput> {
  return {
    run: {
      id: nextRun++,
      inventory_id: 1,
      timeout: 0,
      use_fact_cache: false,
      job_type: 'run',
      playbook,
      limit: '',
      job_tags: '',
      skip_tags: '',
      start_at_task: '',
      forks: 0,
      verbosity: 0,
      force_handlers: false,
      diff_mode: false,
      become_enabled: false,
      ...fields,
    },
    extraVars: {},
    templateVars: {},
    injected: {},
    inventory: localHosts('here'),
    credentials: [],
    passwords: {},
    facts: [],
    checkout: { kind: 'folder', path: playbooks },
    requirements: null,
    engine: await engineTool.engine(),
    ...changes,
    settings: {
      allowJinja: 'template',
      defaultTimeout: 0,
      spoolLimitBytes: 256 << 20,
      maxEventResult: 700_000,
      factTimeout: 0,
      showPaths: [],
      ...changes.settings,
    },
  };
}

/** The bare engine runs as whoever runs the tests. */
const sameUser = { USER: userInfo().username, LOGNAME: userInfo().username };

/** The same command without anything of ours around it: no sandbox, no wrapper, no callback plugin. */
export async function runBare(spec: JobSpec): Promise<{ rc: number; output: string; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-bare-'));
  if (spec.checkout?.kind === 'folder') cpSync(spec.checkout.path, join(folder, 'project'), { recursive: true });
  for (const { path, content, mode = 0o600 } of spec.files) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content, { mode });
  }
  mkdirSync(join(folder, 'tmp'));
  mkdirSync(join(folder, 'home'), { recursive: true });
  const place = (text: string) => text.replaceAll('{workspace}', folder).replaceAll('{tmp}', join(folder, 'tmp'));
  const { ANSIBLE_CALLBACK_PLUGINS: _, ...env } = Object.fromEntries(
    Object.entries(spec.env).map(([name, value]) => [name, place(value)]),
  );
  // both streams into one file, each text as soon as it is said: the order a person at a terminal sees
  const script = 'out=$1; shift; exec "$@" > "$out" 2>&1 < /dev/null';
  const argv = ['-c', script, 'sh', join(folder, 'output'), ...spec.argv.map(place)];
  const rc = await run('/bin/sh', argv, {
    cwd: join(folder, spec.cwd),
    env: { ...env, ...sameUser, PYTHONUNBUFFERED: '1' },
    timeout: 60_000,
  }).then(
    () => 0,
    (error) => error.code as number,
  );
  const output = readFileSync(join(folder, 'output'), 'utf8');
  rmSync(folder, { recursive: true, force: true });
  return { rc, output, folder };
}

/** A folder that the engine's user may write to, shown inside the sandbox. */
export function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-open-'));
  chmodSync(folder, 0o777);
  if (isRoot) chownSync(folder, 64321, 64321);
  return folder;
}
