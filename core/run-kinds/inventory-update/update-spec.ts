import { type CheckoutSource, type ExecSpec, literal, SpecError } from '@tapline/plugin-sdk';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Injection } from '../../credentials/injection/inject.ts';
import { limitProblem } from '../../inventory/limit.ts';
import type { Engine } from '../../runner/engine-tool.ts';
import { assertText } from '../../runner/environment.ts';
import { type EngineSettings, engineEnvironment, shownPaths } from '../execution/engine-run.ts';
import { collectionPaths, projectContents } from '../execution/required-contents.ts';
import { kindOfSource } from './source-kinds.ts';

const program = readFileSync(join(import.meta.dirname, 'update.py'), 'utf8');

/** What an update takes of its run: the source as it was when it was launched. */
export interface UpdateOptions {
  source: string;
  source_path: string;
  enabled_var: string;
  enabled_value: string;
  host_filter: string;
}

/** Where the engine reads from, by the kind of the source. */
export interface SourceInput {
  /** arguments of -i, in this order */
  inventories: string[];
  files: ExecSpec['files'];
  env: Record<string, string>;
  checkout: CheckoutSource | null;
  /** where the collections that the project requires are installed; null = nowhere */
  requirements: string | null;
  /** a path below the checkout that must not lead out of it */
  entry?: string;
  /** variables of a host that tell which instance it is */
  instanceId: readonly string[];
  /** what its credential gives */
  injection: Injection;
  /** secrets that were looked up for this run alone */
  unstored: string[];
}

export interface UpdateSpecInput {
  run: UpdateOptions & {
    id: number;
    source_id: number;
    inventory_id: number | null;
    limit: string;
    verbosity: number;
  };
  input: SourceInput;
  engine: Engine;
  shared: EngineSettings;
  timeout: number;
  mostBytes: number;
}

/** An update as the executor runs it: the engine's own reader in the sandbox that playbooks get. */
export function buildUpdateSpec(given: UpdateSpecInput): ExecSpec {
  const { run, input, engine, timeout, mostBytes, shared } = given;
  const problem = limitProblem(run.limit);
  if (problem) throw new SpecError(problem);
  assertText("The source's limit", run.limit);
  const [variable, value] = kindOfSource(run.source)?.enabled ?? ['', ''];
  const options = {
    enabled_var: run.enabled_var || variable,
    enabled_value: run.enabled_var ? run.enabled_value : value,
    host_filter: run.host_filter,
    instance_id: input.instanceId,
    most_bytes: mostBytes,
  };
  const command = [
    join(engine.bin, 'ansible-inventory'),
    '--list',
    '--export',
    ...input.inventories.map((path) => `--inventory=${path}`),
    ...(input.checkout ? ['--playbook-dir={workspace}/project'] : []),
    ...(run.limit ? [`--limit=${literal(run.limit)}`] : []),
    '--output={workspace}/result/inventory.json',
    ...(run.verbosity > 0 ? [`-${'v'.repeat(Math.min(5, run.verbosity * 2 + 1))}`] : []),
  ];
  return {
    run_id: run.id,
    argv: [engine.python, '{workspace}/update.py', ...command],
    env: environment(given),
    cwd: 'project',
    files: [
      { path: 'update.py', content: program },
      { path: 'options.json', content: JSON.stringify(options) },
      ...input.files,
      ...input.injection.files,
    ],
    links: projectContents,
    checkout: input.checkout,
    ...(input.entry !== undefined && { entry: input.entry }),
    secretPaths: ['env'],
    sshKeys: input.injection.sshKeys,
    timeout_s: timeout,
    spool_limit_bytes: shared.spoolLimitBytes,
    ...shownPaths(shared, input.requirements ? [input.requirements] : []),
    searchPaths: collectionPaths(input.requirements),
  };
}

const environment = ({ run, input, engine, shared }: UpdateSpecInput): Record<string, string> => ({
  ...input.env,
  ...engineEnvironment({ run, engine, injection: input.injection, settings: shared }),
  PYTHONUNBUFFERED: '1',
  INVENTORY_SOURCE_ID: String(run.source_id),
  INVENTORY_UPDATE_ID: String(run.id),
  ANSIBLE_FORCE_COLOR: '0',
  ANSIBLE_INVENTORY_EXPORT: '1',
});
