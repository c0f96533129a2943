import {
  type Action,
  type Actor,
  ApiError,
  field,
  type PluginApi,
  type Rule as Access,
  saysWhatIsWrong,
  ValidationError,
} from '@tapline/plugin-sdk';
import { judgeConditions, type Occurrence } from '../evaluate/conditions.ts';
import { groupValue } from '../evaluate/group-value.ts';
import { isThrottled } from '../evaluate/throttle.ts';
import { variablesOf } from '../evaluate/variables.ts';
import type { Rule, RuleAction } from '../rule.ts';
import { authorityOf, targetOf } from '../targets.ts';
import { conditionResults, shapeOf } from './condition-schema.ts';
import { readConditions } from './check-shape.ts';
import { occurrenceOf, sample } from './sample.ts';

const schema = shapeOf({
  conditions_matched: { type: 'boolean' },
  condition_results: conditionResults,
  throttled: { type: 'boolean' },
  actions: {
    type: 'array',
    items: shapeOf({
      action_type: { type: 'string' },
      target_id: { type: 'integer' },
      target_name: { type: ['string', 'null'] },
      would_run: { type: 'boolean' },
      extra_vars: { type: 'object' },
      problem: { type: 'string' },
    }),
  },
});

/** `test/`: what an event would bring about; nothing is written. With `conditions` it judges a draft of them. */
export const tryAction = (api: PluginApi, access: Access): Action => ({
  access: { POST: access },
  summary: 'What an event with this payload and these headers would bring about; nothing is written',
  fields: {
    ...sample,
    conditions: field.list({
      help: 'A draft that is judged in place of the conditions of the rule.',
      nullable: true,
      default: null,
    }),
  },
  answers: { POST: { schema } },
  async handler({ body }, row) {
    const rule = row as unknown as Rule;
    const occurrence = occurrenceOf(body);
    const conditions = body['conditions'] == null ? rule.conditions : readConditions(body['conditions']);
    const { matched, results } = await judgeConditions(api, conditions, occurrence);
    const throttled = matched && (await wouldWait(api, rule, occurrence));
    const authority = await authorityOf(api, rule.actions_by_id);
    const runs = matched && !throttled;
    const actions = await Promise.all(
      rule.actions.map((action) => foresee(api, rule, { action, occurrence, authority, runs })),
    );
    return { status: 200, body: { conditions_matched: matched, condition_results: results, throttled, actions } };
  },
});

async function wouldWait(api: PluginApi, rule: Rule, occurrence: Occurrence): Promise<boolean> {
  try {
    const group = rule.group_by ? ((await groupValue(api, rule.group_by, occurrence)) ?? '') : undefined;
    return await isThrottled(api, rule, group);
  } catch (error) {
    if (saysWhatIsWrong(error)) throw ValidationError.field('group_by', error.message);
    throw error;
  }
}

interface Foreseen {
  action: RuleAction;
  occurrence: Occurrence;
  authority: Actor | undefined;
  /** conditions and throttle let it */
  runs: boolean;
}

async function foresee(api: PluginApi, rule: Rule, { action, occurrence, authority, runs }: Foreseen) {
  const { action_type, target_id } = action;
  const event = { event_type: 'test', event_guid: 'test', event_rule_name: rule.name, payload: occurrence.event };
  const extra_vars = action_type === 'send_notification' ? {} : variablesOf(event, action);
  const told = { action_type, target_id, extra_vars };
  const nobody = { problem: 'Whoever last changed the actions of the rule is no active user any more.' };
  const target = authority ? await targetOf(api, api.db, action, authority) : nobody;
  if ('problem' in target) return { ...told, target_name: null, would_run: false, problem: target.problem };
  const problem =
    action_type === 'send_notification' ? '' : await problemOf(api, action, { extra_vars, authority: authority! });
  return { ...told, target_name: target.name, would_run: runs && !problem, problem };
}

async function problemOf(
  api: PluginApi,
  { target_id: template }: RuleAction,
  { extra_vars, authority }: { extra_vars: Record<string, unknown>; authority: Actor },
): Promise<string> {
  const origin = { kind: 'event', id: null, client_ip: null };
  const asked = { template, variables: extra_vars, actor: null, authority, origin, waiting: false };
  const problems = await api.launch.check(asked).catch((error: unknown) => {
    if (error instanceof ApiError) return error.body;
    throw error;
  });
  return Object.entries(problems)
    .map(([key, value]) => `${key}: ${[value].flat().map(String).join(' ')}`)
    .join(' ');
}
