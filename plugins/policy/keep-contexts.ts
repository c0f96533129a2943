import { type Launch, type PluginApi, z } from '@tapline/plugin-sdk';
import { type LaunchContext, organizationOf } from './context.ts';

const keptDays = ({ settings }: Pick<PluginApi, 'settings'>): number => settings.get('POLICY_CONTEXTS_KEPT_DAYS', 0);

/** Where the setting says so. */
export async function keepContext(api: PluginApi, launch: Launch, context: LaunchContext): Promise<void> {
  if (keptDays(api) === 0) return;
  await api.db(api.table('contexts')).insert({
    organization_id: organizationOf(launch),
    unified_job_id: launch.run.id,
    context: JSON.stringify(context),
  });
}

/** Each night those go that are older than the setting says; with 0 all of them. */
export function removeOldContexts(api: PluginApi): void {
  const remove = api.task('remove-contexts', { schema: z.object({}) }, async () => {
    await api
      .db(api.table('contexts'))
      .whereRaw("created < now() - ? * interval '1 day'", [keptDays(api)])
      .delete();
  });
  api.cron({ task: remove, match: '20 3 * * *', payload: {} });
}
