import { type ExecSpec, expandPlaces, type SearchPath } from '@tapline/plugin-sdk';
import { join } from 'node:path';
import type { Injection } from '../../credentials/injection/inject.ts';
import { shownEnvironment } from '../../credentials/shown-environment.ts';
import { engineFiles } from '../../runner/engine-files.ts';
import type { Engine } from '../../runner/engine-tool.ts';
import { assertEnvironment } from '../../runner/environment.ts';
import type { Handle } from '../../runner/executor.ts';
import type { Settings } from '../../settings/settings.ts';

/** Settings that every run of the engine follows. */
export interface EngineSettings {
  allowJinja: 'always' | 'never' | 'template';
  /** seconds; for a run that has no limit of its own */
  defaultTimeout: number;
  spoolLimitBytes: number;
  maxEventResult: number;
  /** host[:inside[:ro|rw]] */
  showPaths: readonly string[];
  /** variables that every run is given; those of credentials and our own win */
  taskEnv: Readonly<Record<string, string>>;
  /** folders with further callback plugins */
  callbackFolders: readonly string[];
  /** seconds without a word; 0 = any number */
  idleTimeout: number;
}

export const engineSettings = (settings: Settings): EngineSettings => ({
  allowJinja: settings.get('ALLOW_JINJA_IN_EXTRA_VARS') as EngineSettings['allowJinja'],
  defaultTimeout: Number(settings.get('DEFAULT_JOB_TIMEOUT')),
  spoolLimitBytes: Number(settings.get('SPOOL_LIMIT_BYTES')),
  maxEventResult: Number(settings.get('MAX_EVENT_RES_DATA')),
  showPaths: settings.get('AWX_ISOLATION_SHOW_PATHS'),
  taskEnv: settings.get('AWX_TASK_ENV'),
  callbackFolders: settings.get('AWX_ANSIBLE_CALLBACK_PLUGINS'),
  idleTimeout: settings.get('DEFAULT_JOB_IDLE_TIMEOUT'),
});

const callbackFolder = join(engineFiles, 'callback');
export const enginePlaces = (what: string): string => `{workspace}/home/.ansible/${what}:/usr/share/ansible/${what}`;

/** Where the engine finds what tells its events. */
export const callbackPath = ({ callbackFolders }: Pick<EngineSettings, 'callbackFolders'>): SearchPath => ({
  variable: 'ANSIBLE_CALLBACK_PLUGINS',
  keys: ['callback_plugins'],
  first: [callbackFolder, ...callbackFolders],
  otherwise: enginePlaces('plugins/callback'),
});

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The environment of the engine, whatever it is to do. */
export function engineEnvironment({
  run,
  engine,
  injection,
  settings,
}: {
  run: { id: number; inventory_id: number | null };
  engine: Engine;
  injection: Pick<Injection, 'env'>;
  settings: Pick<EngineSettings, 'maxEventResult' | 'taskEnv' | 'callbackFolders'>;
}): Record<string, string> {
  assertEnvironment(settings.taskEnv);
  return {
    ...settings.taskEnv,
    ...injection.env,
    PATH: `${engine.bin}:${systemPath}`,
    HOME: '{workspace}/home',
    USER: 'runner',
    LOGNAME: 'runner',
    TMPDIR: '{tmp}',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    JOB_ID: String(run.id),
    ...(run.inventory_id !== null && { INVENTORY_ID: String(run.inventory_id) }),
    // before the workspace is there: what the project configures comes behind it
    ANSIBLE_CALLBACK_PLUGINS: [callbackFolder, ...settings.callbackFolders].join(':'),
    ANSIBLE_FORCE_COLOR: '1',
    ANSIBLE_RETRY_FILES_ENABLED: '0',
    ANSIBLE_HOST_KEY_CHECKING: '0',
    ANSIBLE_INVENTORY_UNPARSED_FAILED: '1',
    // a socket's path has to be short
    ANSIBLE_SSH_CONTROL_PATH_DIR: '{tmp}/cp',
    TAPLINE_MAX_RES: String(settings.maxEventResult),
  };
}

/** @param more further folders that are shown read-only */
export function shownPaths(
  { showPaths: paths, callbackFolders }: Pick<EngineSettings, 'showPaths' | 'callbackFolders'>,
  more: readonly string[] = [],
): Pick<ExecSpec, 'readOnlyPaths' | 'writablePaths'> {
  const parsed = paths
    .map((entry) => entry.split(':'))
    .map((parts) => ({
      path: parts[1]?.startsWith('/') && parts[1] !== parts[0] ? { path: parts[0]!, inside: parts[1] } : parts[0]!,
      writable: parts.at(-1) === 'rw' || parts.at(-1) === 'z',
    }));
  return {
    readOnlyPaths: [
      engineFiles,
      ...callbackFolders,
      ...more,
      ...parsed.filter(({ writable }) => !writable).map(({ path }) => path),
    ],
    writablePaths: parsed.filter(({ writable }) => writable).map(({ path }) => path),
  };
}

/** What the API shows of a run's command: no secrets; `{workspace}` is replaced by `showWorkspace` once that is known. */
export interface ShownCommand {
  job_args: string;
  job_cwd: string;
  job_env: Record<string, string>;
}

export const shownCommand = (
  { argv, env, cwd }: Pick<ExecSpec, 'argv' | 'env' | 'cwd'>,
  secrets: readonly string[],
): ShownCommand => ({
  job_args: JSON.stringify(argv),
  job_cwd: `{workspace}/${cwd}`,
  job_env: shownEnvironment(env, secrets),
});

/** The texts for the API, with the real place of the workspace. */
export function showWorkspace(shown: ShownCommand, { workspace }: Pick<Handle, 'workspace'>): ShownCommand {
  const place = (text: string) => expandPlaces(text, { workspace: `${workspace}/work`, tmp: '/tmp' });
  return {
    job_args: place(shown.job_args),
    job_cwd: place(shown.job_cwd),
    job_env: Object.fromEntries(Object.entries(shown.job_env).map(([name, value]) => [name, place(value)])),
  };
}
