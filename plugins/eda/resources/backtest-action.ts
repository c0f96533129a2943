import { type Action, field, type PluginApi, type Rule as Access } from '@tapline/plugin-sdk';
import type { Rule } from '../rule.ts';
import { backtest, backtested, eventsFor, last } from './backtest.ts';
import { checkExpressions } from './check-expressions.ts';
import { readConditions } from './check-shape.ts';

/** `event_rules/N/backtest/`: which of its events a draft of conditions would match; nothing is written. */
export const backtestAction = (api: PluginApi, { manage, see }: { manage: Access; see: Access }): Action => ({
  access: { POST: manage },
  summary: 'Which of its latest events a draft of conditions would match, and why; nothing is written',
  fields: {
    conditions: field.list({ help: 'The draft; without it those of the rule.', nullable: true, default: null }),
    last,
  },
  answers: { POST: { schema: backtested } },
  async handler({ body, signal, actor }, row) {
    const rule = row as unknown as Rule;
    const drafted = body['conditions'] == null ? undefined : readConditions(body['conditions']);
    if (drafted) await checkExpressions(api, drafted);
    const events = eventsFor(api, see, actor).where({ 'l.event_rule_id': rule.id });
    const asked = { conditions: drafted ?? rule.conditions, last: Number(body['last']), signal };
    return { status: 200, body: await backtest(api, events, asked) };
  },
});
