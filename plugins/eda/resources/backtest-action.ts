import { type Action, field, type PluginApi, type Rule as Access } from '@tapline/plugin-sdk';
import { judgeConditions } from '../evaluate/conditions.ts';
import { type EventRow, logsOf } from '../evaluate/log.ts';
import type { Rule } from '../rule.ts';
import { checkExpressions } from './check-expressions.ts';
import { readConditions } from './check-shape.ts';
import { conditionResults, shapeOf } from './condition-schema.ts';

const most = 500;
/** What is not judged by then is left out. */
const patienceMs = 20_000;

const schema = shapeOf({
  count: { type: 'integer' },
  matched: { type: 'integer' },
  complete: { type: 'boolean' },
  results: {
    type: 'array',
    items: shapeOf({
      event_log: { type: 'integer' },
      created: { type: 'string', format: 'date-time' },
      event_type: { type: 'string' },
      matched_before: { type: 'boolean' },
      conditions_matched: { type: 'boolean' },
      condition_results: conditionResults,
    }),
  },
});

/** `backtest/`: which of the events that are stored a draft of conditions would match, newest first, and why; nothing is written. */
export const backtestAction = (api: PluginApi, access: Access): Action => ({
  access: { POST: access },
  summary: 'Which of its latest events a draft of conditions would match, and why; nothing is written',
  fields: {
    conditions: field.list({ help: 'The draft; without it those of the rule.', nullable: true, default: null }),
    last: field.integer({ min: 1, max: most, default: 100, help: 'How many of the latest events are judged.' }),
  },
  answers: { POST: { schema } },
  async handler({ body, signal }, row) {
    const rule = row as unknown as Rule;
    const conditions = body['conditions'] == null ? rule.conditions : readConditions(body['conditions']);
    await checkExpressions(api, conditions);
    const logs: EventRow[] = await logsOf(api, api.db)
      .select('l.conditions_matched')
      .where({ 'l.event_rule_id': rule.id })
      .whereNull('l.replay_of_id')
      .whereRaw('p.truncated = false')
      .orderBy('l.id', 'desc')
      .limit(Number(body['last']));
    const until = performance.now() + patienceMs;
    const results: Record<string, unknown>[] = [];
    for (const log of logs) {
      if (performance.now() > until || signal.aborted) break;
      // one after the other: they are evaluated in one process anyway
      // oxlint-disable-next-line no-await-in-loop
      results.push(await judged(api, log, conditions));
    }
    const matched = results.filter((result) => result['conditions_matched']).length;
    return { status: 200, body: { count: results.length, matched, complete: results.length === logs.length, results } };
  },
});

async function judged(api: PluginApi, log: EventRow, conditions: Rule['conditions']): Promise<Record<string, unknown>> {
  const { matched, results } = await judgeConditions(api, conditions, { event: log.payload, headers: log.headers });
  return {
    event_log: log.id,
    created: log.created,
    event_type: log.event_type,
    matched_before: (log as unknown as { conditions_matched: boolean }).conditions_matched,
    conditions_matched: matched,
    condition_results: results,
  };
}
