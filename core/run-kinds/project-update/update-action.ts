import { type Action, type Call, field, methodNotAllowed, type Rule } from '@tapline/plugin-sdk';
import type { LaunchDoor, LaunchRequest } from '../../runs/start.ts';
import { launchReply } from '../../runs/templates/reply.ts';

/** An update that a caller wants, or that follows from what it did. */
export const updateRequest = (
  project: number,
  { actor, ip }: Pick<Call, 'actor' | 'ip'>,
  waiting: boolean,
): LaunchRequest => ({
  kind: 'project_update',
  template: project,
  prompts: {},
  actor,
  authority: actor,
  origin: { kind: 'api', id: null, client_ip: ip },
  waiting,
});

/** `update/` of a project. */
export const updateAction = (deps: { launch: LaunchDoor }, rules: { see: Rule; update: Rule }): Action => ({
  access: { GET: rules.see, POST: rules.update },
  summary: 'Fetch the source',
  answers: {
    GET: { fields: { can_update: field.boolean() } },
    POST: { status: 202, type: 'project_update', fields: { project_update: field.integer() } },
  },
  launches: 202,
  async handler(call, row) {
    if (call.method === 'GET') return { status: 200, body: { can_update: row.scm_type !== '' } };
    if (!row.scm_type) throw methodNotAllowed('POST', 'GET, POST, HEAD, OPTIONS');
    const { run } = await deps.launch.start(updateRequest(row.id, call, true));
    return launchReply(call, run, { status: 202, name: 'project_update' });
  },
});
