import type { LaunchService, Origin } from '@tapline/plugin-sdk';
import type { Services } from '../app/container.ts';
import { outsideSections } from '../observe/section.ts';

/** How clients know what started a run. */
const launchTypes: Record<Origin['kind'], string> = {
  api: 'manual',
  system: 'manual',
  relaunch: 'relaunch',
  schedule: 'scheduled',
  workflow: 'workflow',
  callback: 'callback',
  webhook: 'webhook',
  event: 'webhook',
  dependency: 'dependency',
};

/** Starts a job template the way every launch goes. */
export const launchFor = ({ launch }: Pick<Services, 'launch'>): LaunchService => ({
  // what the run sets going then is core's own doing, not the plugin's
  start: ({ job_template, prompts = {}, actor, authority = actor, origin, waiting }) =>
    outsideSections(async () => {
      const { run } = await launch.launchTemplate({
        templateId: job_template,
        prompts,
        actor,
        authority,
        origin,
        waiting,
        launchType: launchTypes[origin.kind],
      });
      return { id: run.id, status: run.status };
    }),
});
