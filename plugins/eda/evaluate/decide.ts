import { type Knex, type PluginApi, SandboxError } from '@tapline/plugin-sdk';
import { publishLogs } from '../live.ts';
import type { Rule, RuleAction } from '../rule.ts';
import { type Judged, judgeConditions } from './conditions.ts';
import { groupValue } from './group-value.ts';
import type { EventRow } from './log.ts';
import { takeTurn } from './throttle.ts';

/** What is to be done of an event that matched. */
export interface Plan {
  actions: RuleAction[];
  authority: number | null;
}

interface Outcome {
  status: 'matched' | 'unmatched' | 'throttled' | 'error';
  error?: string;
  finished: boolean;
  judged?: Judged;
  plan?: Plan;
}

/**
 * Whether a rule fires: conditions, then its turn. The turn is taken, counted and told of in the transaction that notes the match
 * and what is to be done, so that whoever goes on after a crash neither fires again nor forgets it. Undefined: nothing is to be done.
 */
export async function decide(
  api: PluginApi,
  log: EventRow,
  rule: Rule | undefined,
  signal: AbortSignal,
): Promise<Plan | undefined> {
  if (!rule) return settle(api, log, { status: 'error', error: 'The rule was deleted.', finished: true });
  if (!rule.enabled) return settle(api, log, { status: 'unmatched', error: 'The rule is disabled.', finished: true });
  if (log.truncated) return settle(api, log, { status: 'error', error: 'The payload is gone.', finished: true });
  const occurrence = { event: log.payload, headers: log.headers };
  const judged = await judgeConditions(api, rule.conditions, occurrence, signal);
  if (judged.fault) return settle(api, log, { status: 'error', error: judged.fault, judged, finished: true });
  if (!judged.matched) return settle(api, log, { status: 'unmatched', judged, finished: true });
  let group: string | undefined;
  try {
    if (rule.group_by) group = (await groupValue(api, rule.group_by, occurrence)) ?? '';
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    signal.throwIfAborted();
    return settle(api, log, { status: 'error', error: `group_by: ${error.message}`, judged, finished: true });
  }
  return fire(api, log, rule, { judged, group });
}

async function fire(
  api: PluginApi,
  log: EventRow,
  rule: Rule,
  { judged, group }: { judged: Judged; group: string | undefined },
): Promise<Plan | undefined> {
  const plan = { actions: rule.actions, authority: rule.actions_by_id };
  return api.db.transaction(async (trx) => {
    if (!(await isStillReceived(api, trx, log))) return undefined;
    if (!(await takeTurn(api, trx, rule, group)))
      return note(api, trx, log, { status: 'throttled', judged, finished: true });
    await api.audit.record({
      action: 'fire',
      actor: null,
      object: { type: 'event_rule', id: rule.id, name: rule.name },
      organization: rule.organization_id,
      changes: {
        event_log: log.id,
        event_type: log.event_type,
        event_guid: log.event_guid,
        actions: plan.actions.length,
      },
      trx,
    });
    return note(api, trx, log, { status: 'matched', judged, plan, finished: plan.actions.length === 0 });
  });
}

const settle = (api: PluginApi, log: EventRow, outcome: Outcome): Promise<Plan | undefined> =>
  api.db.transaction(async (trx) =>
    (await isStillReceived(api, trx, log)) ? note(api, trx, log, outcome) : undefined,
  );

/** Somebody else may be at it, who was taken for dead. */
async function isStillReceived({ table }: PluginApi, trx: Knex, { id }: EventRow): Promise<boolean> {
  return Boolean(await trx(table('event_logs')).where({ id, status: 'received' }).forUpdate().first('id'));
}

async function note(api: PluginApi, trx: Knex, log: EventRow, outcome: Outcome): Promise<Plan | undefined> {
  const { status, error = '', judged, plan, finished } = outcome;
  await trx(api.table('event_logs'))
    .where({ id: log.id })
    .update({
      status,
      error,
      ...(judged && { conditions_matched: judged.matched, condition_results: JSON.stringify(judged.results) }),
      ...(plan && { plan: JSON.stringify(plan.actions), authority_id: plan.authority }),
      ...(finished && { finished: trx.fn.now() }),
    });
  await publishLogs(api, trx, [log], status);
  return finished ? undefined : plan;
}
