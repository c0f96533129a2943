import { forbidden, type LaunchRequest, type LaunchService, type RunService } from '@tapline/plugin-sdk';
import { outsideSections } from '../../observe/section.ts';
import { cancelRun } from '../../runs/cancel.ts';
import { launchRule } from '../../runs/templates/launch-right.ts';
import type { CoreServices } from './core-services.ts';
import { launchedOnce, launchOnce } from './launch-once.ts';

const longestMark = 200;

const asCore = ({ actor, authority, prompts = {}, once: _once, ...request }: LaunchRequest) => ({
  ...request,
  prompts,
  actor,
  authority: authority === undefined ? actor : authority,
});

/** Starts a template the way every launch goes. What the run sets going then is core's own doing, not the plugin's. */
export const launchFor = (core: LaunchServices, plugin: string): LaunchService => ({
  start: ({ once, ...request }) =>
    outsideSections(async () => {
      const asked = asCore(request);
      await assertMayLaunch(core, asked);
      const { id, kind, status } =
        once === undefined
          ? (await core.launch.start(asked)).run
          : await launchOnce(core, { plugin, mark: checked(once) }, asked);
      return { id, kind, status };
    }),
  launched: async (once) => {
    const run = await launchedOnce(core.db, { plugin, mark: checked(once) });
    return run?.status === 'new' ? undefined : run;
  },
  check: (request) =>
    outsideSections(async () => {
      const asked = asCore(request);
      await assertMayLaunch(core, asked);
      return core.launch.check(asked);
    }),
});

type LaunchServices = Pick<CoreServices, 'launch' | 'db' | 'kinds' | 'doors'>;

/** What core's own actions ask before they come to the door. */
async function assertMayLaunch(
  { db, kinds, doors }: LaunchServices,
  { template, authority }: ReturnType<typeof asCore>,
) {
  if (!authority) return;
  const row = await db('templates').where({ id: template }).first();
  // the launch tells that there is none
  if (!row) return;
  const rule = launchRule(kinds, row.kind);
  if (!rule || !(await doors.narrowed(row.kind, rule).row(authority, row, db))) throw forbidden();
}

function checked(mark: string): string {
  if (mark && mark.length <= longestMark) return mark;
  throw new Error(`api.launch.start: once must be a text of 1 to ${longestMark} characters`);
}

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
