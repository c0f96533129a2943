import { chmodSync, chownSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngineTool, type EngineTool } from '../../core/runner/engine-tool.ts';
import { createContainerTool } from '../../core/runner/container/container-tool.ts';
import type { ExecStatus, Executor, Handle, SpoolEvent } from '../../core/runner/executor.ts';
import { noInjection } from '../../core/credentials/injection/inject.ts';
import type { HostRunSpec } from '../../core/run-kinds/execution/host-run.ts';
import { buildJobSpec, type JobSpecInput } from '../../core/run-kinds/job/execution/job-spec.ts';
import { createLocalExecutor } from '../../core/runner/local-executor.ts';
import type { Settings } from '../../core/settings/settings.ts';
import { silentLog } from '../support/log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

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
  ): Promise<HostRunSpec>;
  /** Starts it and waits for its end. */
  run(spec: HostRunSpec): Promise<Finished>;
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

export function makeStage(
  dataDir = mkdtempSync(join(tmpdir(), 'tapline-runner-')),
  {
    engineCgroups = [],
    containerCommand = '',
    settings,
  }: { engineCgroups?: string[]; containerCommand?: string; settings?: Settings } = {},
): Stage {
  const config = { root, dataDir, engineCommand: '', engineCgroups };
  const engineTool = createEngineTool({ config, log: silentLog });
  const containerTool = createContainerTool({ config: { containerCommand } });
  const executor = createLocalExecutor({ config, log: silentLog, engineTool, containerTool, settings });
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
  executor.start = async (spec, told) => {
    const handle = await start(spec, told);
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
      removeFolder(dataDir);
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
    injection: noInjection,
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
      taskEnv: {},
      callbackFolders: [],
      idleTimeout: 0,
      ...changes.settings,
    },
  };
}

/** A folder that the engine's user may write to, shown inside the sandbox. */
export function openFolder(): string {
  const folder = temporaryFolder('open');
  chmodSync(folder, 0o777);
  if (isRoot) chownSync(folder, 64321, 64321);
  return folder;
}
