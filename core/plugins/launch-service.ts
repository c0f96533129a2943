import type { LaunchService } from '@tapline/plugin-sdk';
import type { Services } from '../app/container.ts';

/** Starts a job template the way every launch goes. */
export const launchFor = ({ launch }: Pick<Services, 'launch'>): LaunchService => ({
  async start({ job_template, prompts = {}, actor, authority = actor, origin, waiting }) {
    const { run } = await launch.launchTemplate({
      templateId: job_template,
      prompts,
      actor,
      authority,
      origin,
      waiting,
    });
    return { id: run.id, status: run.status };
  },
});
