import { type Action, type Call, field, methodNotAllowed } from '@tapline/plugin-sdk';
import type { LaunchDoor, LaunchRequest } from '../../runs/start.ts';
import { launchReply } from '../../runs/templates/reply.ts';
import { sourceAccess, sourceRights } from './rules.ts';
import { canUpdate } from './source-kinds.ts';
import type { SourceRow } from './check-source.ts';

/** An update that a caller wants. */
export const updateRequest = (
  source: number,
  { actor, ip }: Pick<Call, 'actor' | 'ip'>,
  columns: LaunchRequest['columns'] = {},
): LaunchRequest => ({
  kind: 'inventory_update',
  template: source,
  prompts: {},
  actor,
  authority: actor,
  origin: { kind: 'api', id: null, client_ip: ip },
  columns,
  waiting: true,
});

/** `update/` of a source. */
export const updateAction = (deps: { launch: LaunchDoor }): Action => ({
  access: { GET: sourceAccess.see, POST: sourceRights.update },
  summary: 'Bring the inventory in line with the source',
  answers: {
    GET: { fields: { can_update: field.boolean() } },
    POST: { status: 202, type: 'inventory_update', fields: { inventory_update: field.integer() } },
  },
  launches: 202,
  async handler(call, row: SourceRow) {
    if (call.method === 'GET') return { status: 200, body: { can_update: canUpdate(row) } };
    if (!canUpdate(row)) throw methodNotAllowed('POST', 'GET, POST, HEAD, OPTIONS');
    const { run } = await deps.launch.start(updateRequest(row.id, call));
    return launchReply(call, run, { status: 202, name: 'inventory_update' });
  },
});

/** `preview/` of a source: an update that looks what it would do, and does nothing of it. */
export const previewAction = (deps: { launch: LaunchDoor }): Action => ({
  access: { POST: sourceRights.update },
  summary: 'See what an update would add, change and remove',
  related: false,
  answers: {
    POST: { status: 202, type: 'inventory_update', fields: { inventory_update: field.integer() } },
  },
  launches: 202,
  async handler(call, row: SourceRow) {
    if (!canUpdate(row)) throw methodNotAllowed('POST', 'POST, HEAD, OPTIONS');
    const { run } = await deps.launch.start(updateRequest(row.id, call, { preview: true }));
    return launchReply(call, run, { status: 202, name: 'inventory_update' });
  },
});
