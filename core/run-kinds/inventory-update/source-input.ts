import { type ClaimedRun, literal, SpecError } from '@tapline/plugin-sdk';
import { type Injection, injectCredentials } from '../../credentials/injection/inject.ts';
import { lookedUpSecrets, type LookupDeps } from '../../credentials/lookups.ts';
import { credentialsOfRun } from '../../credentials/of-run.ts';
import type { ResolvedCredential } from '../../credentials/resolve.ts';
import type { Catalog } from '../../descriptors/compile.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { installedRequirements } from '../../scm/requirements.ts';
import type { Settings } from '../../settings/settings.ts';
import { readVariables, type Variables } from '../../yaml/variables.ts';
import { sourceOf } from '../execution/project-source.ts';
import { blockedVariables } from './check-source.ts';
import { constructedFiles, inputDocuments } from './constructed.ts';
import { pluginFile } from './plugin-source.ts';
import { kindOfSource } from './source-kinds.ts';
import type { SourceInput } from './update-spec.ts';

/** The source of a run, as it was when it was launched. */
export interface SourceData {
  source: string;
  source_path: string;
  source_vars: string;
  source_script: string;
  enabled_var: string;
  enabled_value: string;
  host_filter: string;
  overwrite: boolean;
  overwrite_vars: boolean;
  max_removed_percent: number | null;
  preview?: boolean;
}

export interface InputDeps extends LookupDeps {
  config: { dataDir: string };
  settings: Settings;
  sandbox: Pick<Sandbox, 'renderEach'>;
  readonly catalog?: Catalog;
}

interface Reading {
  run: ClaimedRun;
  data: SourceData;
  variables: Variables;
  credential: ResolvedCredential | undefined;
  injection: Injection;
}

type Read = Pick<SourceInput, 'inventories'> & Partial<SourceInput>;

/** What the engine reads, by the kind of the source. @throws SpecError where there is nothing to read */
export async function inputOfSource(deps: InputDeps, run: ClaimedRun): Promise<SourceInput> {
  const data = run.data as unknown as SourceData;
  const credentials = await credentialsOfRun(deps, run.credential_ids);
  const injection = await injectCredentials(deps, credentials, 'inventory');
  const variables = await readVariables(data.source_vars, { patient: true });
  const read = await readBy(deps, { run, data, variables, credential: credentials[0], injection });
  return {
    checkout: null,
    requirements: null,
    instanceId: kindOfSource(data.source)?.instanceId ?? [],
    ...read,
    env: read.env ?? {},
    files: read.files ?? [],
    injection,
    unstored: lookedUpSecrets(credentials),
  };
}

async function readBy(deps: InputDeps, reading: Reading): Promise<Read> {
  const { run, data, variables } = reading;
  const plugin = kindOfSource(data.source)?.plugin;
  if (plugin !== undefined) {
    const file = pluginFile(data.source, plugin, reading);
    // else the engine would take a configuration whose plugin is missing for a list of hosts
    return { files: [file], inventories: [`{workspace}/${file.path}`], env: { ANSIBLE_INVENTORY_ENABLED: 'auto' } };
  }
  switch (data.source) {
    case 'scm':
      return ofProject(deps, reading);
    case 'custom':
      return { ...ofScript(data), env: environmentOf(variables) };
    case 'constructed':
      return constructedFiles(
        await inputDocuments(deps, run.inventory_id!, deps.settings.get('INVENTORY_MAX_BYTES')),
        variables,
      );
    default:
      throw new SpecError(`Sources of the kind ${data.source} cannot be updated.`);
  }
}

async function ofProject({ config }: InputDeps, { run, data, variables }: Reading): Promise<Read> {
  const checkout = await sourceOf(config.dataDir, run);
  run['scm_revision'] = checkout.kind === 'git' ? checkout.revision : '';
  const path = data.source_path.replace(/^(?:\.\/)+/, '');
  return {
    env: environmentOf(variables),
    checkout,
    ...(path && { entry: path }),
    inventories: [path ? `{workspace}/project/${literal(path)}` : '{workspace}/project'],
    requirements: checkout.kind === 'git' ? await installedRequirements(checkout.repository, checkout.revision) : null,
  };
}

const ofScript = ({ source_script: script }: SourceData): Read => ({
  files: [{ path: 'source/script', content: Buffer.from(script), mode: 0o500 }],
  inventories: ['{workspace}/source/script'],
});

/** Variables of the environment. What the sandbox says itself comes after them. */
const environmentOf = (variables: Variables): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables)
      .filter(([name]) => !blockedVariables.has(name))
      .map(([name, value]) => [name, literal(typeof value === 'string' ? value : JSON.stringify(value))]),
  );
