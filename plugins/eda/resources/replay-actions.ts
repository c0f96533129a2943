import { type Action, ApiError, authenticated, field, type PluginApi, type Rule } from '@tapline/plugin-sdk';
import { shapeOf } from './condition-schema.ts';
import { replay } from './replay.ts';

const mostRetried = 500;

/** `event_logs/N/replay/` */
export const replayAction = (api: PluginApi, access: Rule, queue: () => void): Action => ({
  access: { POST: access },
  summary: 'Evaluate the event again, by the rule as it is now: a new log, which names this one',
  fields: {},
  answers: { POST: { status: 201, type: 'event_log' } },
  async handler(call, { id }) {
    const [made] = await api.db.transaction((trx) => replay(api, trx, [id]));
    queue();
    if (made === undefined)
      throw new ApiError(409, 'The event cannot be evaluated again: its rule or its payload is gone.');
    return { status: 201, body: (await call.represent('event_log', [made]))[0] };
  },
});

/** `event_logs/retry/`: the dead letters of whoever asks, together; each once. */
export const retryAction = (api: PluginApi, access: Rule, queue: () => void): Action => ({
  access: { POST: authenticated },
  summary: `Evaluate events with status error again that were not since, at most ${mostRetried} at once`,
  fields: { event_rule: field.ref('event_rule', { help: 'Those of this rule only.' }) },
  answers: {
    POST: {
      schema: shapeOf({ count: { type: 'integer' }, event_logs: { type: 'array', items: { type: 'integer' } } }),
    },
  },
  async handler({ actor, body }) {
    const logs = api.table('event_logs');
    const made = await api.db.transaction(async (trx) => {
      const dead = trx(`${logs} as l`).where({ 'l.status': 'error' }).whereNotNull('l.payload_id');
      if (body['event_rule'] != null) void dead.where({ 'l.event_rule_id': body['event_rule'] });
      void dead.whereNotExists(
        (again) => void again.from(`${logs} as r`).whereRaw('r.replay_of_id = l.id').select(trx.raw('1')),
      );
      access.query(actor, dead, 'l');
      const ids: { id: number }[] = await dead.orderBy('l.id').limit(mostRetried).forUpdate('l').select('l.id');
      return replay(
        api,
        trx,
        ids.map(({ id }) => id),
      );
    });
    queue();
    return { status: 200, body: { count: made.length, event_logs: made } };
  },
});
