import type { LaunchRequest, LaunchService, RunService } from '@tapline/plugin-sdk';
import { outsideSections } from '../../observe/section.ts';
import { cancelRun } from '../../runs/cancel.ts';
import type { CoreServices } from './core-services.ts';

const asCore = ({ actor, authority, prompts = {}, ...request }: LaunchRequest) => ({
  ...request,
  prompts,
  actor,
  authority: authority === undefined ? actor : authority,
});

/** Starts a template the way every launch goes. What the run sets going then is core's own doing, not the plugin's. */
export const launchFor = ({ launch }: Pick<CoreServices, 'launch'>): LaunchService => ({
  start: (request) =>
    outsideSections(async () => {
      const { run } = await launch.start(asCore(request));
      return { id: run.id, kind: run.kind, status: run.status };
    }),
  check: (request) => outsideSections(() => launch.check(asCore(request))),
});

export const runsFor = (core: CoreServices, plugin: string): RunService => ({
  cancel: (run, actor) => outsideSections(() => cancelRun(core, run, actor)),
  async end(trx, id, status, explanation) {
    const run = await trx('runs').where({ id }).first('id', 'kind', 'needs');
    if (!run) return false;
    const own = core.registries.all('runKinds').some((one) => one.plugin === plugin && one.item.kind === run.kind);
    if (!own || run.needs !== 'nobody')
      throw new Error(
        `api.runs.end: run ${id} is a ${run.kind}, which is no kind of plugin ${plugin} that needs nobody`,
      );
    const fields = explanation === undefined ? {} : { job_explanation: explanation };
    return outsideSections(async () => (await core.statuses.setStatus(trx, run, status, fields)) !== null);
  },
});
