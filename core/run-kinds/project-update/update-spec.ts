import { SpecError, type ExecSpec } from '@tapline/plugin-sdk';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedCredential } from '../../credentials/resolve.ts';
import type { CheckoutLimits } from '../../runner/checkout/checkout-budget.ts';
import { assertEnvironment } from '../../runner/environment.ts';
import { askpass } from './askpass.ts';
import { hasSubversion, noSubversion } from './subversion.ts';
import {
  branchProblem,
  filePath,
  redactUrl,
  refspecProblem,
  urlPassword,
  urlProblem,
  withoutPassword,
} from '../../scm/url.ts';

const programs = [
  'update.sh',
  'submodules.py',
  'archive.py',
  'subversion.py',
  'source.py',
  'commit.py',
  'verify.py',
].map((path) => ({
  path,
  content: readFileSync(join(import.meta.dirname, path), 'utf8'),
  mode: path === 'update.sh' ? 0o500 : 0o400,
}));

/** What it takes of the run. */
export interface UpdatedRun {
  id: number;
  scm_type: string;
  scm_url: string;
  scm_branch: string;
  scm_refspec: string;
  scm_delete_on_update: boolean;
  scm_track_submodules: boolean;
}

export interface UpdateSpecInput {
  run: UpdatedRun;
  credential: ResolvedCredential | null;
  cache: string;
  /** the hosts that earlier updates saw, as ssh stores them */
  knownHosts: string;
  allowedFolders: readonly string[];
  requirements: RequirementOptions;
  /** the public keys by which its content is verified; null = it is not */
  verifiedBy: string | null;
  /** the engine's */
  python: string;
  checkout: CheckoutLimits;
  /** variables that the source is fetched with as well: a proxy, for instance */
  taskEnv: Readonly<Record<string, string>>;
  timeout: number;
  spoolLimit: number;
}

/** What is installed of a project's requirements.yml, and how. */
export interface RequirementOptions {
  roles: boolean;
  collections: boolean;
  ignoreCertificates: boolean;
  /** what ansible-galaxy does is told at length */
  verbose: boolean;
  env: Record<string, string>;
  /** revisions that have theirs already */
  known: readonly string[];
  /** where ansible-galaxy is */
  bin: string;
}

const ssh = `#!/bin/sh
user=$(cat "{workspace}/env/scm_username" 2>/dev/null || true)
# a submodule of another host is shown neither the name nor the key
if [ -n "\${SCM_FOREIGN:-}" ]; then user=; fi
exec ssh \${SCM_FOREIGN:+-o IdentityAgent=none} -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile="{workspace}/env/known_hosts" -o ConnectTimeout=30 -o ServerAliveInterval=15 \${user:+-o "User=$user"} "$@"
`;

/** A project update as the executor runs it: our script in the same sandbox that playbooks get. */
export function buildUpdateSpec(input: UpdateSpecInput): { spec: ExecSpec; secrets: string[] } {
  const { run, credential, cache, allowedFolders, requirements, knownHosts, timeout, spoolLimit } = input;
  const url = run.scm_url;
  const folder = filePath(url);
  const problem = problemOf(input, folder);
  if (problem) throw new SpecError(`The project cannot be updated: ${problem}`);
  const inputs = credential?.inputs ?? {};
  const text = (name: string) => String(inputs[name] ?? '');
  // the address's own comes first, as git has it
  const password = urlPassword(url) || text('password');
  const reuse = !run.scm_delete_on_update && existsSync(cache);
  assertEnvironment(input.taskEnv);
  const files = [
    ...programs,
    { path: 'env/askpass', content: askpass(url, Boolean(text('username') || password)), mode: 0o500 },
    { path: 'env/ssh', content: ssh, mode: 0o500 },
    { path: 'env/scm_password', content: password },
    { path: 'env/scm_username', content: text('username') },
    { path: 'env/known_hosts', content: reuse ? knownHosts : '' },
    { path: 'env/ansible.cfg', content: '' },
    { path: 'env/galaxy.sh', content: exports(requirements.env) },
    ...(input.verifiedBy === null ? [] : [{ path: 'env/gpg_public_key', content: input.verifiedBy }]),
    { path: 'env/gitconfig', content: '[safe]\n\tdirectory = *\n[gc]\n\tauto = 0\n' },
  ];
  const spec: ExecSpec = {
    run_id: run.id,
    argv: ['/bin/sh', '{workspace}/update.sh'],
    env: {
      ...input.taskEnv,
      ...updateEnvironment(input, folder !== null, reuse ? cache : ''),
      ...requirementVariables(requirements),
    },
    cwd: '.',
    files,
    checkout: null,
    secretPaths: ['env/scm_password', 'env/galaxy.sh'],
    sshKeys: inputs['ssh_key_data'] ? [{ key: text('ssh_key_data'), passphrase: text('ssh_key_unlock') || null }] : [],
    timeout_s: timeout,
    spool_limit_bytes: spoolLimit,
    // submodules of a folder may lie beside it
    readOnlyPaths: [
      ...(folder === null ? [] : [folder, ...allowedFolders].filter(existsSync)),
      ...(reuse ? [cache] : []),
    ],
  };
  return {
    spec,
    secrets: [text('password'), text('ssh_key_unlock'), text('ssh_key_data'), urlPassword(url)].filter(Boolean),
  };
}

/** Checked when they were stored; the rules or the settings may have changed since. */
function problemOf({ run, allowedFolders }: UpdateSpecInput, folder: string | null): string | undefined {
  const problem =
    urlProblem(run.scm_type, run.scm_url, allowedFolders) ??
    branchProblem(run.scm_branch) ??
    refspecProblem(run.scm_refspec);
  if (problem) return problem;
  if (run.scm_type === 'svn' && !hasSubversion()) return noSubversion;
  // Subversion's addresses go on within the repository, where there are no folders
  const there = folder === null || run.scm_type === 'svn' || existsSync(folder);
  return there ? undefined : `there is no folder ${folder} on this node.`;
}

const requirementVariables = (options: RequirementOptions): Record<string, string> => ({
  PATH: `${options.bin}:/usr/local/bin:/usr/bin:/bin`,
  SCM_ROLES: options.roles ? '1' : '',
  SCM_COLLECTIONS: options.collections ? '1' : '',
  SCM_GALAXY_FLAGS: [options.ignoreCertificates && '--ignore-certs', options.verbose && '-vvv']
    .filter(Boolean)
    .join(' '),
  SCM_KNOWN: options.known.join(' '),
});

/** For the installation alone: the source is fetched with variables of our own. */
function exports(env: Record<string, string>): string {
  assertEnvironment(env);
  return Object.entries(env)
    .map(([name, value]) => `export ${name}='${String(value).replaceAll("'", `'\\''`)}'\n`)
    .join('');
}

const updateEnvironment = (
  { run, python, checkout, allowedFolders, verifiedBy }: UpdateSpecInput,
  local: boolean,
  cache: string,
): Record<string, string> => ({
  HOME: '{workspace}/home',
  LANG: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '{workspace}/env/gitconfig',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '{workspace}/env/askpass',
  SSH_ASKPASS: '{workspace}/env/askpass',
  SSH_ASKPASS_REQUIRE: 'force',
  GIT_SSH: '{workspace}/env/ssh',
  GIT_SSH_VARIANT: 'ssh',
  GIT_ALLOW_PROTOCOL: local ? 'file' : 'https:http:ssh:git:ftp:ftps',
  SCM_TYPE: run.scm_type,
  SCM_URL: withoutPassword(run.scm_url),
  SCM_SHOWN_URL: redactUrl(run.scm_url),
  SCM_BRANCH: run.scm_branch,
  SCM_REFSPEC: run.scm_refspec,
  SCM_CACHE: cache,
  SCM_PYTHON: python,
  SCM_VERIFY: verifiedBy === null ? '' : '1',
  SCM_TRACK: run.scm_track_submodules ? '1' : '',
  SCM_FOLDERS: local ? JSON.stringify(allowedFolders) : '[]',
  SCM_MOST_BYTES: String(checkout.bytes),
  SCM_MOST_FILES: String(checkout.files),
});
