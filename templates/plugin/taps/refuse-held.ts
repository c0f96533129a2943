import { type Denial, type Launch, type PluginApi, stages } from '@tapline/plugin-sdk';

interface HoldRow {
  job_template_id: number;
  reason: string;
}

/** Runs on every way to a launch. If it fails, nothing is launched: `failMode`. */
export function refuseHeld(api: PluginApi): void {
  api.hooks.beforeStart({ name: 'refuse-held', stage: stages.policy, failMode: 'deny' }, async (launch) => {
    if (!launch.template) return undefined;
    const hold = await api
      .db<HoldRow>(api.table('holds'))
      .where({ job_template_id: launch.template.id })
      .first('reason');
    return hold && judge(launch, hold.reason, api.settings.get('SAMPLE_PLUGIN_ENFORCED', true));
  });
}

function judge(launch: Launch, reason: string, enforced: boolean): Denial | undefined {
  if (enforced) return { status: 403, body: { detail: 'This template is held.', reasons: [reason] } };
  launch.explain(`This template is held: ${reason}`);
  return undefined;
}
