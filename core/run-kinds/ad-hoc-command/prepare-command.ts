import { type ClaimedRun, type Prepared, SpecError } from '@tapline/plugin-sdk';
import { injectCredentials } from '../../credentials/injection/inject.ts';
import { lookedUpSecrets, type LookupDeps } from '../../credentials/lookups.ts';
import { credentialsOfRun } from '../../credentials/of-run.ts';
import type { Catalog } from '../../descriptors/compile.ts';
import { inventoryDocument } from '../../inventory/document.ts';
import { hostsForRun } from '../../inventory/host-ids.ts';
import type { EngineTool } from '../../runner/engine-tool.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Settings } from '../../settings/settings.ts';
import { readVariables } from '../../yaml/variables.ts';
import { engineSettings, showWorkspace } from '../execution/engine-run.ts';
import { injectedVariables } from '../execution/injected-variables.ts';
import { buildCommandSpec } from './command-spec.ts';

export interface PrepareDeps extends LookupDeps {
  settings: Settings;
  engineTool: EngineTool;
  sandbox: Pick<Sandbox, 'renderEach'>;
  readonly catalog?: Catalog;
}

/** @throws SpecError where the command as it stands cannot be executed */
export async function prepareCommand(deps: PrepareDeps, run: ClaimedRun): Promise<Prepared> {
  const { db, settings, engineTool } = deps;
  const { inventory } = run;
  if (!inventory) throw new SpecError('The command has no inventory any more.');
  const credentials = await credentialsOfRun(deps, run.credential_ids);
  const hosts = await hostsForRun(deps, run);
  const [injection, document, engine, extraVars] = await Promise.all([
    injectCredentials(deps, credentials),
    inventoryDocument(db, inventory.id, {
      hostvars: true,
      ...hosts.contents,
      mostBytes: settings.get('INVENTORY_MAX_BYTES'),
    }),
    engineTool.engine(),
    readVariables(run.extra_vars, { patient: true }),
  ]);
  const { module_name = '', module_args = '' } = run.data as { module_name?: string; module_args?: string };
  const spec = buildCommandSpec({
    run: { ...run, module_name, module_args },
    extraVars,
    injected: injectedVariables({ run, inventory, user: run.user }),
    inventory: document,
    credentials,
    injection,
    passwords: run.passwords,
    engine,
    settings: engineSettings(settings),
  });
  return {
    spec,
    secrets: spec.secrets,
    unstored: lookedUpSecrets(credentials),
    columns: (workspace) => ({ ...showWorkspace(spec.shown, { workspace }) }),
  };
}
