import type { ClaimedRun, Prepared } from '@tapline/plugin-sdk';
import type { EngineTool } from '../../runner/engine-tool.ts';
import { engineSettings, showWorkspace, shownCommand } from '../execution/engine-run.ts';
import { inputOfSource, type InputDeps, type SourceData } from './source-input.ts';
import { buildUpdateSpec } from './update-spec.ts';

export interface PrepareDeps extends InputDeps {
  engineTool: EngineTool;
}

/** @throws SpecError where the update as it stands cannot be executed */
export async function prepareUpdate(deps: PrepareDeps, run: ClaimedRun): Promise<Prepared> {
  const { settings, engineTool } = deps;
  const input = await inputOfSource(deps, run);
  const timeout = Number(run.timeout);
  const spec = buildUpdateSpec({
    run: {
      ...(run.data as unknown as SourceData),
      id: run.id,
      source_id: run.template_id!,
      inventory_id: run.inventory_id,
      limit: String(run['limit'] ?? ''),
      verbosity: Number(run['verbosity']),
    },
    input,
    engine: await engineTool.engine(),
    shared: engineSettings(settings),
    timeout: timeout < 0 ? 0 : timeout || Number(settings.get('DEFAULT_INVENTORY_UPDATE_TIMEOUT')),
    mostBytes: settings.get('INVENTORY_MAX_BYTES'),
  });
  const { secrets } = input.injection;
  const shown = shownCommand({ ...spec, argv: spec.argv.slice(2) }, secrets);
  return {
    spec,
    secrets,
    unstored: input.unstored,
    columns: (workspace) => ({ ...showWorkspace(shown, { workspace }), scm_revision: run['scm_revision'] ?? '' }),
  };
}
