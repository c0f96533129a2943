import { type PluginApi, type Task, z } from '@tapline/plugin-sdk';
import { act } from './act.ts';
import { judge } from './judge.ts';
import { type EventRow, readLogs, readRules } from './log.ts';
import { type Plan, settle } from './settle.ts';
import { SlowRules } from './slow-rules.ts';

const payload = z.strictObject({ logs: z.array(z.number().int()).min(1).max(500) });
export type EvaluatePayload = z.infer<typeof payload>;

/** Of the events of one task so many are judged before any of them is settled: one that takes its time keeps few others waiting. */
const atOnce = 50;
/** Of the events of one task so many have their actions carried out side by side. */
const besides = 8;

/** Of one rule that others are not to wait for, after which time it is looked at again. */
const pauseSeconds = 2;

/** Evaluation, from the queue. What was done of an event before a crash is not done again. */
export function defineEvaluate(api: PluginApi): Task<EvaluatePayload> {
  const slow = new SlowRules();
  const task = api.task('evaluate', { schema: payload, priority: -5 }, async ({ logs: ids }, { signal }) => {
    const failures: unknown[] = [];
    for (let begin = 0; begin < ids.length; begin += atOnce) {
      // their payloads are in memory together
      // oxlint-disable-next-line no-await-in-loop
      const done = await evaluate({ api, slow, signal }, ids.slice(begin, begin + atOnce));
      failures.push(...done.failures);
      // oxlint-disable-next-line no-await-in-loop
      await task.enqueueAll(api.db, done.later, { afterSeconds: pauseSeconds });
    }
    // the others are done: the next try finds them finished
    if (failures.length) throw failures[0];
  });
  return task;
}

interface Evaluated {
  /** what went wrong */
  failures: unknown[];
  /** those that were put off, each rule's for itself */
  later: EvaluatePayload[];
}

async function evaluate(
  judging: { api: PluginApi; slow: SlowRules; signal: AbortSignal },
  ids: readonly number[],
): Promise<Evaluated> {
  const { api, signal } = judging;
  const logs = (await readLogs(api, ids)).filter(({ finished }) => finished === null);
  signal.throwIfAborted();
  await noteTries(api, logs, 1);
  const begun = logs
    .filter(({ status }) => status === 'matched')
    .map((log): Plan => ({ log, actions: log.plan ?? [], authority: log.authority_id }));
  const failures: unknown[] = [];
  const carryOut = (plans: readonly Plan[]) => sideBySide(plans.values(), (plan) => act(api, plan, signal), failures);
  // first, since nobody may be there to judge the others
  await carryOut(begun);
  const received = logs.filter(({ status }) => status === 'received');
  const { verdicts, later } = await judge(judging, received, await readRules(api, received));
  // they were not asked
  await noteTries(api, later, -1);
  const settled = await settle(api, verdicts);
  failures.push(...settled.failures);
  await carryOut(settled.plans);
  const byRule = Map.groupBy(later, ({ event_rule_id: rule }) => rule);
  return { failures, later: [...byRule.values()].map((own) => ({ logs: own.map(({ id }) => id) })) };
}

/** Of those that the sweep found: before they are evaluated, which may be what ends the process. Few events are. */
async function noteTries({ db, table }: PluginApi, logs: readonly EventRow[], by: 1 | -1): Promise<void> {
  const swept = logs.filter(({ sweeps }) => sweeps > 0).map(({ id }) => id);
  if (swept.length) await db(table('event_logs')).whereIn('id', swept).increment('tries', by);
}

const sideBySide = (plans: IterableIterator<Plan>, work: (plan: Plan) => Promise<void>, failures: unknown[]) =>
  Promise.all(
    Array.from({ length: besides }, async () => {
      for (const plan of plans)
        // as many of these are under way as there are workers
        // oxlint-disable-next-line no-await-in-loop
        await work(plan).catch((error: unknown) => failures.push(error));
    }),
  );
