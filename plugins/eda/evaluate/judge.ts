import { type PluginApi, SandboxError } from '@tapline/plugin-sdk';
import { plain } from '../plain.ts';
import type { Rule } from '../rule.ts';
import { type Judged, judgeEach } from './conditions.ts';
import { groupValue } from './group-value.ts';
import type { EventRow } from './log.ts';

/** What the rule of an event says of it. */
export interface Verdict {
  log: EventRow;
  status: 'matched' | 'unmatched' | 'error';
  error: string;
  judged?: Judged;
  /** of one that matched */
  rule?: Rule;
  /** the value of its `group_by` */
  group?: string;
}

/** Judges events of any number of rules, in their order; nothing is written. */
export async function judge(
  api: PluginApi,
  logs: readonly EventRow[],
  rules: ReadonlyMap<number, Rule>,
  signal: AbortSignal,
): Promise<Verdict[]> {
  const asked = logs.map((log) => ({ log, rule: rules.get(log.event_rule_id ?? 0) }));
  const open = asked.flatMap(({ log, rule }) =>
    rule && !refusal(log, rule) ? [{ log, conditions: rule.conditions, occurrence: occurrenceOf(log) }] : [],
  );
  const judged = await judgeEach(api, open, signal);
  const byLog = new Map(open.map(({ log }, index) => [log, judged[index]!]));
  const verdicts: Verdict[] = [];
  for (const { log, rule } of asked)
    // the few that are grouped ask one process
    // oxlint-disable-next-line no-await-in-loop
    verdicts.push(refusal(log, rule) ?? (await verdictOf(api, { log, rule: rule!, judged: byLog.get(log)! }, signal)));
  return verdicts;
}

const occurrenceOf = ({ payload, headers }: EventRow) => ({ event: payload, headers });

/** What needs no conditions. */
function refusal(log: EventRow, rule: Rule | undefined): Verdict | undefined {
  if (!rule) return { log, status: 'error', error: 'The rule was deleted.' };
  if (!rule.enabled) return { log, status: 'unmatched', error: 'The rule is disabled.' };
  return log.truncated ? { log, status: 'error', error: 'The payload is gone.' } : undefined;
}

async function verdictOf(
  api: PluginApi,
  { log, rule, judged }: { log: EventRow; rule: Rule; judged: Judged },
  signal: AbortSignal,
): Promise<Verdict> {
  if (judged.fault) return { log, status: 'error', error: judged.fault, judged };
  if (!judged.matched) return { log, status: 'unmatched', error: '', judged };
  const matched: Verdict = { log, status: 'matched', error: '', judged, rule };
  if (!rule.group_by) return matched;
  try {
    return { ...matched, group: (await groupValue(api, rule.group_by, occurrenceOf(log))) ?? '' };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    // what the stop of the service cut short says nothing of the rule
    signal.throwIfAborted();
    return { log, status: 'error', error: plain(`group_by: ${error.message}`, 1000), judged };
  }
}
