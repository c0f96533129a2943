import { isUnavailable, type PluginApi, safeText, saysWhatIsWrong } from '@tapline/plugin-sdk';
import type { Rule } from '../rule.ts';
import { isLate } from './answer.ts';
import { type Case, judgeConditions, type Judged, judgeTogether } from './conditions.ts';
import { groupValue } from './group-value.ts';
import type { EventRow } from './log.ts';
import { mostInARow, type SlowRules } from './slow-rules.ts';

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

/** What became of events that were to be judged. */
export interface Judgement {
  verdicts: Verdict[];
  /** not judged here: for tasks of their own, one for each rule */
  later: EventRow[];
}

interface Asked {
  log: EventRow;
  rule: Rule;
}

interface Judging {
  api: PluginApi;
  slow: SlowRules;
  signal: AbortSignal;
}

/** How long the events of one rule are judged one by one before the others of its task are put behind those of other rules. */
const patienceMs = 20_000;
/** So often nobody could be asked, and the other rules of a task, or events of a rule, are not tried any more. */
const mostRefused = 2;

/**
 * Judges events of any number of rules; nothing is written. Those of rules that keep others waiting are left for later, unless
 * there are no others. @throws SandboxError where nobody could be asked
 */
export async function judge(
  judging: Judging,
  logs: readonly EventRow[],
  rules: ReadonlyMap<number, Rule>,
): Promise<Judgement> {
  const verdicts: Verdict[] = [];
  const open: Asked[] = [];
  for (const log of logs) {
    const rule = rules.get(log.event_rule_id ?? 0);
    const refused = refusal(log, rule);
    if (refused) verdicts.push(refused);
    else open.push({ log, rule: rule! });
  }
  const byRule = [...Map.groupBy(open, ({ rule }) => rule).values()];
  const judged = byRule.length > 1 ? await judgeMixed(judging, byRule) : await judgeOwn(judging, byRule[0] ?? []);
  verdicts.push(...judged.verdicts);
  return { verdicts: verdicts.toSorted((a, b) => a.log.id - b.log.id), later: judged.later };
}

/**
 * All in one question; where that cannot be answered, one for each rule. A rule whose events nobody could be asked about, as where
 * they leave no time on a busy machine, keeps the others waiting no more than one that takes too long.
 */
async function judgeMixed(judging: Judging, byRule: readonly Asked[][]): Promise<Judgement> {
  const { api, slow } = judging;
  const quick = byRule.filter(([first]) => !slow.isSlow(first!.rule));
  const judgement: Judgement = { verdicts: [], later: byRule.filter((own) => !quick.includes(own)).flatMap(logsOf) };
  const refused: unknown[] = [];
  const refuse = (error: unknown): undefined => {
    if (!isUnavailable(error)) throw error;
    refused.push(error);
  };
  const answered = await judgeTogether(api, quick.flat().map(caseOf)).catch(refuse);
  const answers = answered?.values();
  for (const own of quick) {
    const judged = answers ? own.map(() => answers.next().value!) : undefined;
    // the process that evaluates answers one after the other anyway
    // oxlint-disable-next-line no-await-in-loop
    const part = await (refused.length > mostRefused ? undefined : judgeRule(judging, own, judged).catch(refuse));
    judgement.verdicts.push(...(part?.verdicts ?? []));
    judgement.later.push(...(part?.later ?? logsOf(own)));
  }
  if (refused.length && !judgement.verdicts.length) throw refused[0];
  return judgement;
}

/** Undefined where its events are no single question. */
async function judgeRule(
  judging: Judging,
  own: readonly Asked[],
  known: readonly Judged[] | undefined,
): Promise<Judgement | undefined> {
  const judged = known ?? (await judgeTogether(judging.api, own.map(caseOf)));
  return judged && verdictsOf(judging, own, judged);
}

/**
 * Those of one rule: where they are no single question, or one of them may be why nobody could be asked, one by one, as far as there
 * is a place for that.
 */
async function judgeOwn(judging: Judging, asked: readonly Asked[]): Promise<Judgement> {
  const { slow } = judging;
  if (!asked.length) return { verdicts: [], later: [] };
  const judgement = slow.isSlow(asked[0]!.rule)
    ? undefined
    : await judgeRule(judging, asked, undefined).catch((error: unknown) => {
        if (asked.length === 1 || !isUnavailable(error)) throw error;
        return undefined;
      });
  if (judgement) return judgement;
  return (await slow.inTurn(() => judgeOneByOne(judging, asked))) ?? { verdicts: [], later: logsOf(asked) };
}

/** @throws SandboxError where nobody could be asked about any */
async function judgeOneByOne(judging: Judging, asked: readonly Asked[]): Promise<Judgement> {
  const until = performance.now() + patienceMs;
  const judgement: Judgement = { verdicts: [], later: [] };
  const refused: unknown[] = [];
  for (const one of asked) {
    judging.signal.throwIfAborted();
    if (performance.now() > until || refused.length > mostRefused) judgement.later.push(one.log);
    else
      try {
        // one by one
        // oxlint-disable-next-line no-await-in-loop
        judgement.verdicts.push(await judgeOne(judging, one));
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        refused.push(error);
        judgement.later.push(one.log);
      }
  }
  if (refused.length && !judgement.verdicts.length) throw refused[0];
  return judgement;
}

async function judgeOne(judging: Judging, { log, rule }: Asked): Promise<Verdict> {
  if (judging.slow.isResting(rule)) return { log, status: 'error', error: tooSlow };
  const judged = await judgeConditions(judging.api, rule.conditions, occurrenceOf(log));
  return verdictOf(judging, { log, rule, judged });
}

const tooSlow = `Not evaluated: the conditions of the rule took too long for ${mostInARow} events in a row.`;

const logsOf = (asked: readonly Asked[]): EventRow[] => asked.map(({ log }) => log);
const caseOf = ({ log, rule: { conditions } }: Asked): Case => ({ conditions, occurrence: occurrenceOf(log) });

/** Of events whose conditions are judged: the value of `group_by` is asked for each, unless the rule shows to be slow at that. */
async function verdictsOf(judging: Judging, asked: readonly Asked[], judged: readonly Judged[]): Promise<Judgement> {
  const judgement: Judgement = { verdicts: [], later: [] };
  for (const [place, { log, rule }] of asked.entries())
    if (judged[place]!.matched && rule.group_by && judging.slow.isSlow(rule)) judgement.later.push(log);
    // the few that are grouped ask one process
    // oxlint-disable-next-line no-await-in-loop
    else judgement.verdicts.push(await verdictOf(judging, { log, rule, judged: judged[place]! }));
  return judgement;
}

const occurrenceOf = ({ payload, headers }: EventRow) => ({ event: payload, headers });

/** What needs no conditions. */
function refusal(log: EventRow, rule: Rule | undefined): Verdict | undefined {
  if (!rule) return { log, status: 'error', error: 'The rule was deleted.' };
  if (!rule.enabled) return { log, status: 'unmatched', error: 'The rule is disabled.' };
  return log.truncated ? { log, status: 'error', error: 'The payload is gone.' } : undefined;
}

async function verdictOf({ api, slow }: Judging, { log, rule, judged }: Asked & { judged: Judged }): Promise<Verdict> {
  const noted = (verdict: Verdict, late = false): Verdict => {
    slow.note(rule, late);
    return verdict;
  };
  if (judged.fault) return noted({ log, status: 'error', error: judged.fault, judged }, judged.late);
  // of its group_by that says nothing
  if (!judged.matched && rule.group_by) return { log, status: 'unmatched', error: '', judged };
  if (!judged.matched) return noted({ log, status: 'unmatched', error: '', judged });
  const matched: Verdict = { log, status: 'matched', error: '', judged, rule };
  if (!rule.group_by) return noted(matched);
  try {
    return noted({ ...matched, group: (await groupValue(api, rule.group_by, occurrenceOf(log))) ?? '' });
  } catch (error) {
    if (!saysWhatIsWrong(error)) throw error;
    return noted({ log, status: 'error', error: safeText(`group_by: ${error.message}`, 1000), judged }, isLate(error));
  }
}
