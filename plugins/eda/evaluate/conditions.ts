import { type PluginApi, SandboxError } from '@tapline/plugin-sdk';
import type { Condition, ConditionResult } from '../rule.ts';

/** What conditions see: the payload, and the headers that are kept. */
export interface Occurrence {
  event: unknown;
  headers: Record<string, unknown>;
}

export interface Judged {
  /** all of them hold */
  matched: boolean;
  results: ConditionResult[];
  /** the first that could not be judged: a fault of the rule, not of the event. '' where each was */
  fault: string;
}

/** Each condition for itself, also after one that does not hold, so that everybody sees which it was. An empty list always holds. */
export async function judgeConditions(
  { sandbox }: Pick<PluginApi, 'sandbox'>,
  conditions: readonly Condition[],
  { event, headers }: Occurrence,
  signal?: AbortSignal,
): Promise<Judged> {
  const results: ConditionResult[] = [];
  let fault = '';
  for (const [index, { jinja2_expression: expression, description }] of conditions.entries()) {
    // one after the other: they are evaluated in one process anyway
    // oxlint-disable-next-line no-await-in-loop
    const { result, error, broken } = await judge(sandbox, expression, { event, headers });
    // what the stop of the service cut short says nothing of the rule
    signal?.throwIfAborted();
    results.push({ expression, description, result, error });
    if (broken) fault ||= `Condition ${index + 1}: ${error}`;
  }
  return { matched: !fault && results.every(({ result }) => result), results, fault };
}

async function judge(sandbox: PluginApi['sandbox'], expression: string, context: { event: unknown; headers: unknown }) {
  try {
    return { result: isTrue(await sandbox.evaluate(expression, context)), error: '', broken: false };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    // an event without the key that is asked for is no fault of the rule
    return { result: false, error: error.message.slice(0, 1000), broken: error.kind !== 'undefined' };
  }
}

/** As Jinja2 has it: what is empty is false. */
export function isTrue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
