import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedCredential } from '../credentials/resolve.ts';
import { assertEnvironment } from '../runner/environment.ts';
import type { ExecSpec } from '../runner/executor.ts';
import { SpecError } from '../runner/spec-error.ts';
import { branchProblem, filePath, redactUrl, refspecProblem, urlPassword, urlProblem } from './url.ts';

const script = readFileSync(join(import.meta.dirname, 'update.sh'), 'utf8');

export interface UpdateSpecInput {
  run: Record<string, any>;
  credential: ResolvedCredential | null;
  cache: string;
  allowedFolders: readonly string[];
  requirements: RequirementOptions;
  timeout: number;
  spoolLimit: number;
}

/** What is installed of a project's requirements.yml, and how. */
export interface RequirementOptions {
  roles: boolean;
  collections: boolean;
  ignoreCertificates: boolean;
  env: Record<string, string>;
  /** revisions that have theirs already */
  known: readonly string[];
  /** where ansible-galaxy is */
  bin: string;
}

/** Told apart by the prompt: git and ssh ask for user names and passwords through one program. */
const askpass = `#!/bin/sh
case "$1" in
  Username*) cat "{workspace}/env/scm_username" ;;
  *) cat "{workspace}/env/scm_password" ;;
esac
`;

const ssh = `#!/bin/sh
user=$(cat "{workspace}/env/scm_username" 2>/dev/null || true)
exec ssh -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile="{workspace}/env/known_hosts" -o ConnectTimeout=30 -o ServerAliveInterval=15 \${user:+-o "User=$user"} "$@"
`;

/** A project update as the executor runs it: our script in the same sandbox that playbooks get. */
export function buildUpdateSpec(input: UpdateSpecInput): { spec: ExecSpec; secrets: string[] } {
  const { run, credential, cache, allowedFolders, requirements, timeout, spoolLimit } = input;
  const url = String(run['scm_url']);
  // checked when they were stored; the rules or the settings may have changed since
  const problem =
    urlProblem(run['scm_type'], url, allowedFolders) ??
    branchProblem(run['scm_branch']) ??
    refspecProblem(run['scm_refspec']);
  if (problem) throw new SpecError(`The project cannot be updated: ${problem}`);
  if (run['scm_type'] !== 'git')
    throw new SpecError(`The project cannot be updated: sources of the kind ${run['scm_type']} are not supported yet.`);
  const folder = filePath(url);
  if (folder !== null && !existsSync(folder))
    throw new SpecError(`The project cannot be updated: there is no folder ${folder} on this node.`);
  const inputs = credential?.inputs ?? {};
  const text = (name: string) => String(inputs[name] ?? '');
  const reuse = !run['scm_delete_on_update'] && existsSync(cache);
  const files = [
    { path: 'update.sh', content: script, mode: 0o500 },
    { path: 'env/askpass', content: askpass, mode: 0o500 },
    { path: 'env/ssh', content: ssh, mode: 0o500 },
    { path: 'env/scm_password', content: text('password') },
    { path: 'env/scm_username', content: text('username') },
    { path: 'env/galaxy.sh', content: exports(requirements.env) },
    { path: 'env/gitconfig', content: '[safe]\n\tdirectory = *\n[gc]\n\tauto = 0\n' },
  ];
  const spec: ExecSpec = {
    run_id: run['id'],
    argv: ['/bin/sh', '{workspace}/update.sh'],
    env: { ...updateEnvironment(run, url, folder !== null, reuse ? cache : ''), ...requirementVariables(requirements) },
    cwd: '.',
    files,
    checkout: null,
    secretPaths: ['env/scm_password', 'env/galaxy.sh'],
    sshKeys: inputs['ssh_key_data'] ? [{ key: text('ssh_key_data'), passphrase: text('ssh_key_unlock') || null }] : [],
    timeout_s: timeout,
    spool_limit_bytes: spoolLimit,
    readOnlyPaths: [...(folder === null ? [] : [folder]), ...(reuse ? [cache] : [])],
  };
  return {
    spec,
    secrets: [text('password'), text('ssh_key_unlock'), text('ssh_key_data'), urlPassword(url)].filter(Boolean),
  };
}

const requirementVariables = (options: RequirementOptions): Record<string, string> => ({
  PATH: `${options.bin}:/usr/local/bin:/usr/bin:/bin`,
  SCM_ROLES: options.roles ? '1' : '',
  SCM_COLLECTIONS: options.collections ? '1' : '',
  SCM_GALAXY_FLAGS: options.ignoreCertificates ? '--ignore-certs' : '',
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
  run: Record<string, any>,
  url: string,
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
  SCM_URL: url,
  SCM_SHOWN_URL: redactUrl(url),
  SCM_BRANCH: String(run['scm_branch']),
  SCM_REFSPEC: String(run['scm_refspec']),
  SCM_CACHE: cache,
});
