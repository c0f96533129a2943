import { type PluginApi, type Task, z } from '@tapline/plugin-sdk';
import { act } from './act.ts';
import { decide } from './decide.ts';
import { type EventRow, readLogs, readRules } from './log.ts';

const payload = z.strictObject({ logs: z.array(z.number().int()).min(1).max(500) });
export type EvaluatePayload = z.infer<typeof payload>;

/** Of the events of one task so many are evaluated side by side. */
const atOnce = 8;

/** Evaluation, from the queue. What was done of an event before a crash is not done again. */
export const defineEvaluate = (api: PluginApi): Task<EvaluatePayload> =>
  api.task('evaluate', { schema: payload, priority: -5 }, async ({ logs: ids }, { signal }) => {
    const logs = (await readLogs(api, ids)).filter(({ finished }) => finished === null);
    const rules = await readRules(api, logs);
    const failures: unknown[] = [];
    const waiting = logs.values();
    const work = async () => {
      for (const log of waiting) {
        signal.throwIfAborted();
        try {
          // as many of these are under way as there are workers
          // oxlint-disable-next-line no-await-in-loop
          await evaluate(log);
        } catch (error) {
          failures.push(error);
        }
      }
    };
    const evaluate = async (log: EventRow) => {
      const rule = log.event_rule_id === null ? undefined : rules.get(log.event_rule_id);
      const plan =
        log.status === 'received'
          ? await decide(api, log, rule, signal)
          : { actions: log.plan ?? [], authority: log.authority_id };
      if (plan) await act(api, log, plan, signal);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    // the others are done: the next try finds them finished
    if (failures.length) throw failures[0];
  });
