import { type Action, type Rule, field } from '@tapline/plugin-sdk';
import type { LaunchRequest } from '../../../runs/start.ts';
import { isPreview } from '../../../runs/templates/preview.ts';
import { launchReply } from '../../../runs/templates/reply.ts';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import { launchInfo } from './launch-info.ts';
import { type PreviewDeps, previewLaunch, previewSchema } from './preview.ts';
import { launchFields, launchInfoFields } from './prompts.ts';

/** `launch/` of a job template: what it will ask for, and the launch (contract/jobs.md §4). */
export const launchAction = (
  deps: PreviewDeps & { keyRing: KeyRing },
  rules: { see: Rule; execute: Rule },
): Action => ({
  access: { GET: rules.see, POST: rules.execute },
  summary: 'Launch the template',
  fields: launchFields,
  // which prompts are taken depends on the template
  validate: false,
  bareRow: true,
  answers: {
    GET: { fields: launchInfoFields },
    POST: [
      { status: 201, type: 'job', fields: { job: field.integer(), ignored_fields: field.json() } },
      { status: 200, schema: previewSchema },
    ],
  },
  launches: 201,
  previews: true,
  async handler(call, row) {
    if (call.method === 'GET') return { status: 200, body: await launchInfo(deps, row.id) };
    const request: LaunchRequest = {
      kind: 'job',
      template: row.id,
      prompts: call.body,
      actor: call.actor,
      authority: call.actor,
      waiting: true,
      origin: { kind: 'api', id: null, client_ip: call.ip },
    };
    if (isPreview(call)) return previewLaunch(deps, request);
    const { run, ignored } = await deps.launch.start(request);
    // a run that is cut into slices is another kind's
    return launchReply(call, run, { status: 201, name: run.kind, extra: { ignored_fields: ignored } });
  },
});
