import {
  type Action,
  ApiError,
  type Call,
  authenticated,
  field,
  listParameters,
  type PluginApi,
  type Row,
  ValidationError,
} from '@tapline/plugin-sdk';
import type { DriftAccess } from '../access.ts';

/** `drift_detections/N/acknowledge/`: once; doing it again changes nothing. */
export const acknowledgeAction = (api: PluginApi, { acknowledge }: DriftAccess): Action => ({
  access: { POST: acknowledge },
  summary: 'Notes that somebody has looked at it',
  answers: { POST: { type: 'drift_detection' } },
  async handler(call, { id }) {
    await api.db.transaction(async (trx) => {
      const before: Row | undefined = await trx(api.table('detections')).where({ id }).forUpdate().first();
      if (!before || before['acknowledged'] === true) return;
      const [row] = await trx(api.table('detections')).where({ id }).update(acknowledgedBy(call)).returning('*');
      await call.written(trx, 'drift_detection', row as Row, before);
    });
    const [body] = await call.represent('drift_detection', [id], 'detail');
    return { status: 200, body };
  },
});

const acknowledgedBy = ({ actor }: Call) => ({
  acknowledged: true,
  acknowledged_by_id: actor?.id ?? null,
  acknowledged_at: new Date().toISOString(),
});

/** Whether it leaves rows out, and so says which are meant. */
const narrows = ([key, value]: [string, string]): boolean =>
  key === 'search' ? value.trim() !== '' : !listParameters.has(key);

/**
 * `drift_detections/acknowledge/?host=5&category=kernel`: whatever the list has for the filters, of what the caller may acknowledge
 * and has seen: hosts go on drifting while somebody reads.
 */
export const acknowledgeAllAction = (api: PluginApi, { acknowledge }: DriftAccess): Action => ({
  access: { POST: authenticated },
  summary:
    'Acknowledges all that the filters of the list select up to "up_to", as far as the caller may; without a filter, "all" has to be true',
  fields: {
    ids: field.list({ help: 'Only these.' }),
    up_to: field.integer({
      min: 1,
      help: 'The newest that the caller has seen, as `newest` of the summary says it; needed where there are no ids. Later ones are left.',
    }),
    count: field.integer({
      min: 0,
      help: 'How many the caller has seen: where there are more, nothing is done (409).',
    }),
    all: field.boolean({ help: 'Everything is meant where no filter is given.' }),
  },
  answers: { POST: { fields: { acknowledged: field.integer() } } },
  async handler(call) {
    const ids = idsOf(call.body['ids']);
    const { up_to: upTo, count } = call.body as { up_to?: number; count?: number };
    const filtered = [...call.query].some(narrows);
    if (!filtered && ids === undefined && call.body['all'] !== true)
      throw ValidationError.field('all', 'Give filters, "ids", or "all": true.');
    if (!ids && !upTo)
      throw ValidationError.field('up_to', 'Give the number of the newest detection that you have seen, or "ids".');
    const meant = call.rows('drift_detection', (builder, alias) => {
      void builder.where(`${alias}.acknowledged`, false).select(`${alias}.id`);
      if (ids) void builder.whereRaw('?? = any (?::bigint[])', [`${alias}.id`, ids]);
      if (upTo) void builder.where(`${alias}.id`, '<=', upTo);
      acknowledge.query(call.actor, builder, alias);
    });
    const acknowledged = await api.db.transaction(async (trx) => {
      const changed = await trx(api.table('detections'))
        .whereIn('id', meant)
        .where({ acknowledged: false })
        .update(acknowledgedBy(call));
      // numbers are given before they can be seen: one below another may come later
      if (count !== undefined && changed > count)
        throw new ApiError(409, 'There are more of them than you have seen: read the list again.');
      const bounds = { ...(ids && { ids }), ...(upTo && { up_to: upTo }) };
      const changes = { filters: call.query.toString(), ...bounds, acknowledged: changed };
      if (changed) await api.audit.record({ action: 'acknowledge', actor: call.actor, changes, trx });
      return changed;
    });
    return { status: 200, body: { acknowledged } };
  },
});

const mostIds = 10_000;

function idsOf(given: unknown): number[] | undefined {
  if (given === undefined || given === null) return undefined;
  const ids = given as unknown[];
  if (ids.length > mostIds) throw ValidationError.field('ids', `At most ${mostIds} at once.`);
  if (!ids.every((id) => Number.isSafeInteger(id) && Number(id) > 0))
    throw ValidationError.field('ids', 'Enter a list of numbers of detections.');
  return ids as number[];
}
