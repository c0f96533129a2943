import {
  type Action,
  authenticated,
  type Call,
  field,
  forbidden,
  type PluginApi,
  type Rule as Access,
} from '@tapline/plugin-sdk';
import { judgeConditions } from '../evaluate/conditions.ts';
import { backtest, backtested, eventsFor, last } from './backtest.ts';
import { checkExpressions } from './check-expressions.ts';
import { readConditions } from './check-shape.ts';
import { conditionResults, shapeOf } from './condition-schema.ts';
import { occurrenceOf, sample } from './sample.ts';

interface Rights {
  manage: Access;
  see: Access;
}

/** Of the latest events of an organization so many are looked at for those of a source. */
const mostLooked = 5000;

/** What a rule that is not made yet would do: for who may make it in the organization that is given. Nothing is written. */
export const draftActions = (api: PluginApi, rights: Rights): Record<string, Action> => ({
  test: tryDraft(api, rights),
  backtest: backtestDraft(api, rights),
});

// no ref: who sees nothing of the organization is told the same as who may make no rule there
const draft = {
  organization: field.integer({ required: true, min: 1, help: 'The organization that the rule is to be made in.' }),
  conditions: field.list({ default: [], help: 'Those of the rule that is to be made.' }),
};

async function assertMayMake({ db }: PluginApi, { manage }: Rights, { actor, body }: Call): Promise<void> {
  if (!(await manage.row(actor, { organization_id: Number(body['organization']) }, db))) throw forbidden();
}

/** `event_rules/test/` */
const tryDraft = (api: PluginApi, rights: Rights): Action => ({
  access: { POST: authenticated },
  summary: 'Whether an event with this payload and these headers matches the conditions of a rule that is not made yet',
  fields: { ...draft, ...sample },
  answers: {
    POST: { schema: shapeOf({ conditions_matched: { type: 'boolean' }, condition_results: conditionResults }) },
  },
  async handler(call) {
    await assertMayMake(api, rights, call);
    const conditions = readConditions(call.body['conditions']);
    const { matched, results } = await judgeConditions(api, conditions, occurrenceOf(call.body));
    return { status: 200, body: { conditions_matched: matched, condition_results: results } };
  },
});

/** `event_rules/backtest/` */
const backtestDraft = (api: PluginApi, rights: Rights): Action => ({
  access: { POST: authenticated },
  summary: 'Which of the latest events of a source the conditions of a rule that is not made yet would match, and why',
  fields: {
    ...draft,
    source_type: field.string({ required: true, help: 'Whose events of the organization are judged.' }),
    last,
  },
  answers: { POST: { schema: backtested } },
  async handler(call) {
    await assertMayMake(api, rights, call);
    const { body, signal, actor } = call;
    const conditions = readConditions(body['conditions']);
    await checkExpressions(api, conditions);
    const logs = api.table('event_logs');
    const events = eventsFor(api, rights.see, actor)
      .where({ 'l.organization_id': body['organization'], 'l.source_type': body['source_type'] })
      .whereRaw(
        `l.id > coalesce((select id from ${logs} where organization_id = ? order by id desc offset ${mostLooked} limit 1), 0)`,
        [Number(body['organization'])],
      );
    return { status: 200, body: await backtest(api, events, { conditions, last: Number(body['last']), signal }) };
  },
});
