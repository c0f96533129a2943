import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import { publishLogs } from '../live.ts';
import type { Rule, RuleAction } from '../rule.ts';
import type { Verdict } from './judge.ts';
import type { EventRow } from './log.ts';
import { takeTurns } from './throttle.ts';

/** What is to be done of an event that matched. */
export interface Plan {
  log: EventRow;
  actions: RuleAction[];
  authority: number | null;
}

interface Settled {
  plans: Plan[];
  /** of events that could not be noted: they are as they were */
  failures: unknown[];
}

/**
 * Notes verdicts. Turns are taken, counted and told of in the transaction that notes the matches and what is to be done, so that
 * whoever goes on after a crash neither fires again nor forgets it. Where that fails each is noted alone, so that none suffers for another.
 */
export async function settle(api: PluginApi, verdicts: readonly Verdict[]): Promise<Settled> {
  try {
    return { plans: await api.db.transaction((trx) => note(api, trx, verdicts)), failures: [] };
  } catch (error) {
    if (verdicts.length <= 1) return { plans: [], failures: [error] };
    const settled: Settled[] = [];
    for (const verdict of verdicts)
      // each in a transaction of its own
      // oxlint-disable-next-line no-await-in-loop
      settled.push(await settle(api, [verdict]));
    return { plans: settled.flatMap(({ plans }) => plans), failures: settled.flatMap(({ failures }) => failures) };
  }
}

type Outcome = Omit<Verdict, 'status'> & { status: Verdict['status'] | 'throttled'; plan?: Plan };

async function note(api: PluginApi, trx: Knex, verdicts: readonly Verdict[]): Promise<Plan[]> {
  await lockRules(api, trx, verdicts);
  const left = await stillReceived(api, trx, verdicts);
  const outcomes = await fire(api, trx, left);
  if (!outcomes.length) return [];
  await trx.raw(
    `update ${api.table('event_logs')} l set status = o.status, error = o.error, conditions_matched = o.matched, condition_results = o.results,
      plan = o.plan, authority_id = o.authority, finished = case when o.finished then now() end
    from json_to_recordset(?::json) as o(id bigint, status text, error text, matched boolean, results jsonb, plan jsonb, authority bigint,
      finished boolean) where l.id = o.id`,
    [JSON.stringify(outcomes.map(columnsOf))],
  );
  for (const [status, told] of Map.groupBy(outcomes, (outcome) => outcome.status))
    // of one transaction
    // oxlint-disable-next-line no-await-in-loop
    await publishLogs(
      api,
      trx,
      told.map(({ log }) => log),
      status,
    );
  return outcomes.flatMap(({ plan }) => (plan?.actions.length ? [plan] : []));
}

const columnsOf = ({ log: { id }, status, error, judged, plan }: Outcome) => ({
  id,
  status,
  error,
  matched: judged?.matched ?? false,
  results: judged?.results ?? [],
  plan: plan?.actions,
  authority: plan?.authority,
  finished: !plan?.actions.length,
});

/** Before their events, as whoever deletes a rule does: in the other order the two would wait for each other. */
async function lockRules({ table }: PluginApi, trx: Knex, verdicts: readonly Verdict[]): Promise<void> {
  const ids = new Set(verdicts.flatMap(({ status, rule }) => (status === 'matched' ? [rule!.id] : [])));
  if (ids.size)
    await trx(table('event_rules'))
      .whereIn('id', [...ids])
      .orderBy('id')
      .forNoKeyUpdate()
      .pluck('id');
}

/** Somebody else may be at some of them, who was taken for dead. */
async function stillReceived({ table }: PluginApi, trx: Knex, verdicts: readonly Verdict[]): Promise<Verdict[]> {
  const asked = verdicts.map(({ log }) => log.id);
  const rows = trx(table('event_logs')).whereIn('id', asked).where({ status: 'received' });
  const ids = new Set(await rows.orderBy('id').forUpdate().pluck('id'));
  return verdicts.filter(({ log }) => ids.has(log.id));
}

/** Of events that matched, those whose turn it is; rules are taken in one order by everybody. */
async function fire(api: PluginApi, trx: Knex, verdicts: readonly Verdict[]): Promise<Outcome[]> {
  const matched = verdicts.filter(({ status }) => status === 'matched');
  const byRule = [...Map.groupBy(matched, ({ rule }) => rule!)].toSorted(([a], [b]) => a.id - b.id);
  const fired: Outcome[] = [];
  for (const [rule, events] of byRule) {
    const groups = events.map(({ group }) => group);
    // one rule after the other
    // oxlint-disable-next-line no-await-in-loop
    const turns = await takeTurns(api, trx, rule, groups);
    for (const [index, event] of events.entries()) {
      const plan = { log: event.log, actions: rule.actions, authority: rule.actions_by_id };
      fired.push(turns[index] ? { ...event, plan } : { ...event, status: 'throttled' });
    }
  }
  await api.audit.recordAll(
    trx,
    fired.flatMap(({ log, rule, plan }) => (plan ? [entryOf(log, rule!)] : [])),
  );
  return [...verdicts.filter(({ status }) => status !== 'matched'), ...fired];
}

const entryOf = (log: EventRow, { id, name, organization_id: organization, actions }: Rule) => ({
  action: 'fire',
  actor: null,
  object: { type: 'event_rule', id, name },
  organization,
  changes: {
    event_log: log.id,
    event_type: log.event_type,
    event_guid: log.event_guid,
    actions: actions.length,
  },
});
