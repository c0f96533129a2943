import { join } from 'node:path';
import type { Engine } from './engine-tool.ts';
import { assertArguments } from './environment.ts';
import type { CheckoutSource, ExecSpec, Handle } from './executor.ts';
import { extraVarsFile } from './extra-vars-file.ts';
import { type JobParameters, jobOptions, playbookArgument } from './job-arguments.ts';
import { injectCredentials, type JobCredential } from './job-credentials.ts';
import type { SearchPath } from './project-config.ts';
import { type InventoryDocument, staticInventory } from './static-inventory.ts';

export interface JobSpecInput {
  run: JobParameters & { id: number; timeout: number; use_fact_cache: boolean; inventory_id: number | null };
  /** the run's merged extra variables, passwords of the survey in plain */
  extraVars: Record<string, unknown>;
  /** the template's own extra variables, which alone may hold expressions */
  templateVars: Record<string, unknown>;
  /** as injectedVariables() gives them */
  injected: Record<string, unknown>;
  /** with `_meta.hostvars` */
  inventory: InventoryDocument;
  credentials: readonly JobCredential[];
  /** given at launch, by the names of contract §7 */
  passwords: Record<string, string>;
  /** stored facts, as JSON text per host; only read with use_fact_cache */
  facts: Iterable<{ host: string; document: string }>;
  checkout: CheckoutSource;
  /** where the roles and collections that the project requires are installed; null = nowhere */
  requirements: string | null;
  engine: Engine;
  settings: {
    allowJinja: 'always' | 'never' | 'template';
    /** seconds; for a run that has no limit of its own */
    defaultTimeout: number;
    spoolLimitBytes: number;
    maxEventResult: number;
    /** seconds; 0 = facts do not expire */
    factTimeout: number;
    /** host[:inside[:ro|rw]] */
    showPaths: readonly string[];
  };
}

export interface JobSpec extends ExecSpec {
  /** what the API shows of it: no secrets; `{workspace}` is replaced by showWorkspace() once that is known */
  shown: { job_args: string; job_cwd: string; job_env: Record<string, string> };
  /** every secret text that went in, to be masked in what comes out */
  secrets: string[];
}

/** What the engine loads of ours. */
export const pluginFolder = join(import.meta.dirname, 'engine');

/**
 * Everything about the execution of a job, from plain data. Pure.
 * @throws SpecError where the job cannot be run as it was asked for
 */
export function buildJobSpec(input: JobSpecInput): JobSpec {
  const { run, engine, settings } = input;
  const injection = injectCredentials(input.credentials, input.passwords);
  const playbook = playbookArgument(run.playbook);
  const given = ['-i', '{workspace}/inventory.json', ...jobOptions(run), ...injection.argv];
  const argv = [engine.command, ...given, '-e', '@{workspace}/env/extra_vars.yml', playbook];
  const env = environment(input);
  assertArguments(argv, env);
  const extraVars = extraVarsFile({
    merged: input.extraVars,
    template: input.templateVars,
    injected: input.injected,
    allowJinja: settings.allowJinja,
  });
  return {
    run_id: run.id,
    argv,
    env,
    cwd: 'project',
    files: [
      { path: 'inventory.json', content: staticInventory(input.inventory) },
      { path: 'env/extra_vars.yml', content: extraVars },
      ...injection.files,
      ...(run.use_fact_cache ? factFiles(input.facts) : []),
    ],
    // found by the engine's defaults, so that a project's own configuration may still name other places
    links: [
      { path: 'home/.ansible/collections', target: '../../project/collections' },
      { path: 'home/.ansible/roles', target: '../../project/roles' },
    ],
    checkout: input.checkout,
    entry: playbook,
    secretPaths: ['env', 'inventory.json'],
    sshKeys: injection.sshKeys,
    timeout_s: run.timeout < 0 ? 0 : run.timeout || settings.defaultTimeout,
    spool_limit_bytes: settings.spoolLimitBytes,
    ...shownPaths(settings.showPaths, input.requirements),
    searchPaths: searchPathsOf(input.requirements),
    shown: {
      job_args: JSON.stringify(argv),
      job_cwd: '{workspace}/project',
      job_env: maskEnvironment(env, injection.secrets),
    },
    secrets: injection.secrets,
  };
}

const callbackFolder = join(pluginFolder, 'callback');
const enginePlaces = (what: string) => `{workspace}/home/.ansible/${what}:/usr/share/ansible/${what}`;

function searchPathsOf(requirements: string | null): SearchPath[] {
  const callbacks = {
    variable: 'ANSIBLE_CALLBACK_PLUGINS',
    keys: ['callback_plugins'],
    first: [callbackFolder],
    otherwise: enginePlaces('plugins/callback'),
  };
  if (requirements === null) return [callbacks];
  return [
    callbacks,
    {
      variable: 'ANSIBLE_ROLES_PATH',
      keys: ['roles_path'],
      first: [join(requirements, 'roles')],
      otherwise: `${enginePlaces('roles')}:/etc/ansible/roles`,
    },
    {
      variable: 'ANSIBLE_COLLECTIONS_PATH',
      keys: ['collections_path', 'collections_paths'],
      first: [join(requirements, 'collections')],
      otherwise: enginePlaces('collections'),
    },
  ];
}

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function environment({ run, engine, settings }: JobSpecInput): Record<string, string> {
  return {
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
    ANSIBLE_CALLBACK_PLUGINS: callbackFolder,
    ANSIBLE_FORCE_COLOR: '1',
    ANSIBLE_RETRY_FILES_ENABLED: '0',
    ANSIBLE_HOST_KEY_CHECKING: '0',
    ANSIBLE_INVENTORY_UNPARSED_FAILED: '1',
    // a socket's path has to be short
    ANSIBLE_SSH_CONTROL_PATH_DIR: '{tmp}/cp',
    TAPLINE_MAX_RES: String(settings.maxEventResult),
    ...(run.use_fact_cache && {
      ANSIBLE_CACHE_PLUGINS: join(pluginFolder, 'cache'),
      ANSIBLE_CACHE_PLUGIN: 'tapline_facts',
      ANSIBLE_CACHE_PLUGIN_CONNECTION: '{workspace}/fact_cache',
      ANSIBLE_CACHE_PLUGIN_TIMEOUT: String(settings.factTimeout),
    }),
  };
}

/** A host's name is a file's name here; one that is not a plain name gets its facts anew. */
function* factFiles(facts: JobSpecInput['facts']): Iterable<ExecSpec['files'][number]> {
  for (const { host, document } of facts) {
    if (host && !/[/\0]/.test(host) && host !== '.' && host !== '..')
      yield { path: `fact_cache/${host}`, content: document };
  }
}

function shownPaths(
  paths: readonly string[],
  requirements: string | null,
): Pick<ExecSpec, 'readOnlyPaths' | 'writablePaths'> {
  const parsed = paths
    .map((entry) => entry.split(':'))
    .map((parts) => ({
      path: parts[1]?.startsWith('/') && parts[1] !== parts[0] ? { path: parts[0]!, inside: parts[1] } : parts[0]!,
      writable: parts.at(-1) === 'rw' || parts.at(-1) === 'z',
    }));
  return {
    readOnlyPaths: [
      pluginFolder,
      ...(requirements ? [requirements] : []),
      ...parsed.filter(({ writable }) => !writable).map(({ path }) => path),
    ],
    writablePaths: parsed.filter(({ writable }) => writable).map(({ path }) => path),
  };
}

const secretName = /pass|secret|token|key|credential/i;

function maskEnvironment(env: Record<string, string>, secrets: readonly string[]): Record<string, string> {
  const hidden = '**********';
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      const secret =
        (secretName.test(name) && !name.startsWith('ANSIBLE_HOST_KEY')) ||
        secrets.some((text) => text && value.includes(text));
      return [name, secret ? hidden : value];
    }),
  );
}

/** The texts for the API, with the real place of the workspace. */
export function showWorkspace(shown: JobSpec['shown'], handle: Pick<Handle, 'workspace'>): JobSpec['shown'] {
  const place = (text: string) =>
    text.replaceAll('{workspace}', `${handle.workspace}/work`).replaceAll('{tmp}', '/tmp');
  return {
    job_args: place(shown.job_args),
    job_cwd: place(shown.job_cwd),
    job_env: Object.fromEntries(Object.entries(shown.job_env).map(([name, value]) => [name, place(value)])),
  };
}
