import { type Actor, ApiError, type Knex, type PluginApi } from '@tapline/plugin-sdk';
import { publishLogs } from '../live.ts';
import type { ActionResult, RuleAction } from '../rule.ts';
import { authorityOf, targetOf } from '../targets.ts';
import type { EventRow } from './log.ts';
import type { Plan } from './settle.ts';
import { summaryOf } from './summary.ts';
import { variablesOf } from './variables.ts';

/**
 * Does what a match planned, each action once: a launch goes by a mark that names the event and the action's place, a notification is
 * stored together with its result. Whoever comes after a crash goes on behind the last result.
 */
export async function act(api: PluginApi, { log, actions, ...plan }: Plan, signal: AbortSignal): Promise<void> {
  const authority = await authorityOf(api, plan.authority);
  for (const [place, action] of actions.entries()) {
    if (place < log.actions_triggered.length) continue;
    signal.throwIfAborted();
    // in the order of the rule
    // oxlint-disable-next-line no-await-in-loop
    await carryOut(api, log, { place, action, authority });
  }
  await finish(api, log);
}

interface Doing {
  place: number;
  action: RuleAction;
  authority: Actor | undefined;
}

const resultOf = ({ action_type, target_id, description }: RuleAction, more: Partial<ActionResult>): ActionResult => ({
  action_type,
  target_id,
  description,
  status: 'failed',
  job: null,
  job_type: null,
  notification: null,
  error: '',
  ...more,
});

async function carryOut(api: PluginApi, log: EventRow, doing: Doing): Promise<void> {
  const { action, authority, place } = doing;
  const failed = (error: string) => noteResult(api, api.db, { log, place, result: resultOf(action, { error }) });
  // whoever died before this was noted may have launched it, whatever became of rights since
  const begun = log.status === 'matched' && action.action_type !== 'send_notification';
  const known = begun ? await api.launch.launched(markOf(log, place)) : undefined;
  if (known) return noteResult(api, api.db, { log, place, result: await resultOfRun(api, action, known) });
  if (!authority) return failed('Whoever last changed the actions of the rule is no active user any more.');
  const target = await targetOf(api, api.db, action, authority);
  if ('problem' in target) return failed(target.problem);
  if (action.action_type === 'send_notification') return notify(api, log, doing, failed);
  try {
    await noteResult(api, api.db, { log, place, result: await launch(api, log, doing) });
  } catch (error) {
    // anything else is tried again
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    await failed(textOf(error));
  }
}

const textOf = ({ body }: ApiError): string =>
  Object.entries(body)
    .map(([key, value]) => (key === 'detail' ? String(value) : `${key}: ${[value].flat().map(String).join(' ')}`))
    .join(' ')
    .slice(0, 2000);

async function launch(api: PluginApi, log: EventRow, { place, action, authority }: Doing): Promise<ActionResult> {
  const run = await api.launch.start({
    template: action.target_id,
    variables: variablesOf(log, action),
    actor: null,
    authority: authority!,
    origin: { kind: 'event', id: log.id, client_ip: log.source_ip },
    waiting: false,
    once: markOf(log, place),
  });
  return resultOfRun(api, action, run);
}

const markOf = (log: EventRow, place: number): string => `${log.id} ${place}`;

async function resultOfRun(
  api: PluginApi,
  action: RuleAction,
  { id, kind, status }: { id: number; kind: string; status: string },
): Promise<ActionResult> {
  if (status !== 'failed') return resultOf(action, { status: 'launched', job: id, job_type: kind });
  const run = await api.db('core_runs').where({ id }).first('job_explanation', 'started');
  // one that began and failed since is none of the rule's
  const refused = !run?.started;
  return resultOf(action, {
    status: refused ? 'failed' : 'launched',
    job: id,
    job_type: kind,
    error: refused ? (run?.job_explanation ?? '').slice(0, 2000) : '',
  });
}

/** The notification and its result commit together. */
async function notify(
  api: PluginApi,
  log: EventRow,
  { place, action }: Doing,
  failed: (error: string) => Promise<void>,
): Promise<void> {
  const { subject, body } = summaryOf(log);
  try {
    await api.db.transaction(async (trx) => {
      if (!(await isNext(api, trx, log, place))) return;
      const notification = await api.notify.deliver({ template: action.target_id, subject, body, trx });
      await noteResult(api, trx, { log, place, result: resultOf(action, { status: 'sent', notification }) });
    });
  } catch (error) {
    if (await api.db('notification_templates').where({ id: action.target_id }).first('id')) throw error;
    await failed((error as Error).message);
  }
}

async function isNext({ table }: PluginApi, trx: Knex, { id }: EventRow, place: number): Promise<boolean> {
  const row = await trx(table('event_logs')).where({ id }).forUpdate().first('actions_triggered');
  return row?.actions_triggered.length === place;
}

/** Once for each place, whoever else is at it. */
async function noteResult(
  { table }: PluginApi,
  db: Knex,
  { log, place, result }: { log: EventRow; place: number; result: ActionResult },
): Promise<void> {
  await db(table('event_logs'))
    .where({ id: log.id, status: 'matched' })
    .whereRaw('jsonb_array_length(actions_triggered) = ?', [place])
    .update({
      actions_triggered: db.raw('actions_triggered || ?::jsonb', [JSON.stringify([result])]),
      job_id: db.raw('coalesce(job_id, ?)', [result.job]),
    });
}

async function finish(api: PluginApi, log: EventRow): Promise<void> {
  await api.db.transaction(async (trx) => {
    const [row] = await trx(api.table('event_logs'))
      .where({ id: log.id, status: 'matched' })
      .update({
        status: trx.raw(
          `case when actions_triggered @> '[{"status": "failed"}]' then 'action_failed' else 'action_fired' end`,
        ),
        finished: trx.fn.now(),
      })
      .returning(['id', 'event_rule_id', 'status']);
    if (row) await publishLogs(api, trx, [row], row.status);
  });
}
