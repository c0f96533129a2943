import { type Action, ApiError, type Call, type Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { role } from '../../rbac/role-rules.ts';
import type { LaunchDoor } from '../../runs/start.ts';
import { launchReply } from '../../runs/templates/reply.ts';
import type { SourceRow } from './check-source.ts';
import { canUpdate } from './source-kinds.ts';
import { updateRequest } from './update-action.ts';

interface Deps {
  db: Knex;
  launch: LaunchDoor;
}

const answered = (started: object) => ({
  type: 'array',
  items: {
    type: 'object',
    required: ['inventory_source'],
    properties: { inventory_source: { type: 'integer' }, ...started },
    additionalProperties: true,
  },
});
const canBe = answered({ can_update: { type: 'boolean' } });
const begun = answered({ status: { type: 'string' }, inventory_update: { type: 'integer' } });

/** `update_inventory_sources/` of an inventory: all of them at once. */
export const updateAllAction = (deps: Deps): Action => ({
  access: { GET: role('inventory', 'read_role'), POST: role('inventory', 'update_role') },
  summary: 'Update all sources of the inventory',
  answers: {
    GET: { schema: canBe },
    POST: [{ schema: begun }, { status: 202, schema: begun }],
  },
  async handler(call, inventory) {
    const sources: SourceRow[] = await deps
      .db('templates')
      .where({ inventory_id: inventory.id, kind: 'inventory_source' })
      .orderBy(['name', 'id']);
    if (call.method === 'GET') {
      const body = sources.map((source) => ({ inventory_source: source.id, can_update: canUpdate(source) }));
      return { status: 200, body };
    }
    if (!sources.length) throw new ApiError(400, 'No inventory sources to update.');
    const body: Row[] = [];
    // each is a launch of its own: one after the other
    // oxlint-disable-next-line no-await-in-loop
    for (const source of sources) body.push(await startOne(deps, call, source));
    const started = body.filter(({ status }) => status === 'started').length;
    return { status: started === sources.length ? 200 : started ? 202 : 400, body };
  },
});

/** What came of it: the update with `status: started`, or the reason why there is none. */
async function startOne({ launch }: Deps, call: Call, source: SourceRow): Promise<Row> {
  const told = { id: source.id, inventory_source: source.id };
  if (!canUpdate(source)) return { ...told, status: 'Could not start because `can_update` returned False' };
  try {
    const { run } = await launch.start(updateRequest(source.id, call));
    const { body } = await launchReply(call, run, { status: 202, name: 'inventory_update' });
    return { ...(body as Row), ...told, id: run.id, status: 'started' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...told, status: error.message };
  }
}
