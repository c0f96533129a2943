import {
  type Action,
  type Actor,
  ApiError,
  authenticated,
  field,
  forbidden,
  type Knex,
  type PluginApi,
  type Row,
  type Rule,
} from '@tapline/plugin-sdk';
import { shapeOf } from './condition-schema.ts';
import { replay } from './replay.ts';

const mostRetried = 500;

/** `event_logs/N/replay/` */
export const replayAction = (api: PluginApi, access: Rule, queue: () => void): Action => ({
  access: { POST: access },
  summary: 'Evaluate the event again, by the rule as it is now: a new log, which names this one',
  fields: {},
  answers: { POST: { status: 201, type: 'event_log' } },
  async handler(call, log) {
    await assertOwnRule(api, access, call.actor, log);
    const [made] = await api.db.transaction((trx) => replay(api, trx, [log.id]));
    queue();
    if (made === undefined) throw new ApiError(409, await refusal(api, log));
    return { status: 201, body: (await call.represent('event_log', [made]))[0] };
  },
});

/** The rule may have gone to another organization since: what it does now is for its managers to begin. */
async function assertOwnRule({ db, table }: PluginApi, access: Rule, actor: Actor | null, log: Row): Promise<void> {
  const rule = await db(table('event_rules')).where({ id: log['event_rule_id'] }).first();
  if (rule && !(await access.row(actor, rule, db)))
    throw forbidden('The rule of the event belongs to an organization that you do not manage.');
}

async function refusal({ db, table }: PluginApi, { id }: Row): Promise<string> {
  const again = await db(table('event_logs')).where({ replay_of_id: id, finished: null }).first('id');
  return again
    ? `The event is being evaluated again: event log ${again.id}.`
    : 'The event cannot be evaluated again: its rule or its payload is gone.';
}

/** `event_logs/retry/`: the dead letters of whoever asks, together; each once. */
export const retryAction = (api: PluginApi, access: Rule, queue: () => void): Action => ({
  access: { POST: authenticated },
  summary: `Evaluate events with status error again that were not since, at most ${mostRetried} at once`,
  fields: { event_rule: field.ref('event_rule', { help: 'Those of this rule only.' }) },
  answers: {
    POST: {
      schema: shapeOf({
        count: { type: 'integer' },
        event_logs: { type: 'array', items: { type: 'integer' } },
        left_out: {
          type: 'integer',
          description: 'How many cannot be evaluated: their rule or their payload is gone.',
        },
      }),
    },
  },
  async handler({ actor, body }) {
    const rule = body['event_rule'];
    const dead = (trx: Knex) => deadLetters(api, access, trx, { actor, rule });
    const made = await api.db.transaction(async (trx) => {
      const ids: number[] = await dead(trx)
        .whereNotNull('r.id')
        .where({ 'p.truncated': false })
        .orderBy('l.id')
        .limit(mostRetried)
        .pluck('l.id');
      return replay(api, trx, ids, { once: true });
    });
    queue();
    const [gone] = await dead(api.db).whereRaw('(r.id is null or p.truncated is not false)').count();
    return { status: 200, body: { count: made.length, event_logs: made, left_out: Number(gone!['count']) } };
  },
});

/** Under `l`, with their rules and payloads as far as these are there still. Of a rule that is another's now none. */
function deadLetters(
  { table }: PluginApi,
  access: Rule,
  trx: Knex,
  { actor, rule }: { actor: Actor | null; rule: unknown },
): Knex.QueryBuilder {
  const logs = table('event_logs');
  const dead = trx(`${logs} as l`)
    .leftJoin(`${table('event_rules')} as r`, 'r.id', 'l.event_rule_id')
    .leftJoin(`${table('payloads')} as p`, 'p.id', 'l.payload_id')
    .where({ 'l.status': 'error' })
    .whereNotExists((again) => void again.from(`${logs} as n`).whereRaw('n.replay_of_id = l.id').select(trx.raw('1')));
  if (rule != null) void dead.where({ 'l.event_rule_id': rule });
  access.query(actor, dead, 'l');
  const managed = trx(`${table('event_rules')} as m`).select('m.id');
  access.query(actor, managed, 'm');
  return dead.where((own) => void own.whereNull('r.id').orWhereIn('r.id', managed));
}
