import type { ExecSpec, SearchPath } from '@tapline/plugin-sdk';
import type { Injection } from '../../credentials/injection/inject.ts';
import type { InventoryDocument } from '../../inventory/document.ts';
import type { Engine } from '../../runner/engine-tool.ts';
import { assertArguments } from '../../runner/environment.ts';
import {
  callbackPath,
  engineEnvironment,
  type EngineSettings,
  shownCommand,
  type ShownCommand,
  shownPaths,
} from './engine-run.ts';
import { extraVarsFile } from './extra-vars-file.ts';
import { type JobCredential, logIn } from './log-in.ts';
import { staticInventory } from './static-inventory.ts';

/** What a run on the hosts of an inventory is told, be it of a playbook or of one module. */
export interface HostRunInput {
  run: { id: number; inventory_id: number | null; timeout: number };
  /** the run's merged extra variables, passwords of the survey in plain */
  extraVars: Record<string, unknown>;
  /** as injectedVariables() gives them */
  injected: Record<string, unknown>;
  /** with `_meta.hostvars` */
  inventory: InventoryDocument;
  credentials: readonly JobCredential[];
  /** what their types give to the run */
  injection: Injection;
  /** given at launch, by the names of contract §7 */
  passwords: Record<string, string>;
  engine: Engine;
  settings: EngineSettings;
}

export interface HostRunSpec extends ExecSpec {
  searchPaths: SearchPath[];
  shown: ShownCommand;
  /** every secret text that went in, to be masked in what comes out */
  secrets: string[];
}

interface Own {
  program: string;
  options: readonly string[];
  /** what is run: the last of the arguments */
  what: readonly string[];
  env: Record<string, string>;
  /** a template's own extra variables, which alone may hold expressions */
  templateVars: Record<string, unknown>;
}

/** A program of the engine on the hosts of an inventory, with the logins, variables and files of the run. */
export function hostRunSpec(input: HostRunInput, own: Own): HostRunSpec {
  const { run, settings, injection } = input;
  const login = logIn(input.credentials, input.passwords);
  const secrets = [...login.secrets, ...injection.secrets];
  const given = ['-i', '{workspace}/inventory.json', ...own.options, ...login.argv, ...injection.argv];
  const argv = [own.program, ...given, '-e', '@{workspace}/env/extra_vars.yml', ...own.what];
  const env = { ...engineEnvironment(input), ...own.env };
  assertArguments(argv, env);
  const extraVars = extraVarsFile({
    merged: input.extraVars,
    template: own.templateVars,
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
      ...login.files,
      ...injection.files,
    ],
    checkout: null,
    secretPaths: ['env', 'inventory.json'],
    sshKeys: [...login.sshKeys, ...injection.sshKeys],
    timeout_s: run.timeout < 0 ? 0 : run.timeout || settings.defaultTimeout,
    spool_limit_bytes: settings.spoolLimitBytes,
    idle_s: settings.idleTimeout,
    ...shownPaths(settings),
    searchPaths: [callbackPath(settings)],
    shown: shownCommand({ argv, env, cwd: 'project' }, secrets),
    secrets,
  };
}
