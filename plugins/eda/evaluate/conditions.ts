import { type PluginApi, type SandboxAnswer, type SandboxBatch, SandboxError } from '@tapline/plugin-sdk';
import { plain } from '../plain.ts';
import type { Condition, ConditionResult } from '../rule.ts';

type Sandbox = Pick<PluginApi, 'sandbox'>;

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

interface Case {
  conditions: readonly Condition[];
  occurrence: Occurrence;
}

/**
 * Each condition for itself, also after one that does not hold, so that everybody sees which it was. An empty list always holds.
 * All of them are one question to the process that evaluates; where that cannot be answered as a whole, each is asked alone.
 */
export async function judgeEach(api: Sandbox, cases: readonly Case[], signal?: AbortSignal): Promise<Judged[]> {
  const expressions = cases.flatMap(({ conditions }, context) =>
    conditions.map(({ jinja2_expression: expression }) => ({ expression, context })),
  );
  const contexts = cases.map(({ occurrence: { event, headers } }) => ({ event, headers }));
  const answers =
    (await answerTogether(api, { expressions, contexts })) ?? (await answerAlone(api, { expressions, contexts }));
  // what the stop of the service cut short says nothing of the rule
  signal?.throwIfAborted();
  const next = answers.values();
  return cases.map(({ conditions }) =>
    judgedBy(
      conditions,
      conditions.map(() => next.next().value!),
    ),
  );
}

export const judgeConditions = async (
  api: Sandbox,
  conditions: readonly Condition[],
  occurrence: Occurrence,
  signal?: AbortSignal,
): Promise<Judged> => (await judgeEach(api, [{ conditions, occurrence }], signal))[0]!;

async function answerTogether({ sandbox }: Sandbox, batch: SandboxBatch): Promise<SandboxAnswer[] | undefined> {
  if (!batch.expressions.length) return [];
  try {
    return await sandbox.evaluateEach(batch);
  } catch (error) {
    if (error instanceof SandboxError) return undefined;
    throw error;
  }
}

async function answerAlone({ sandbox }: Sandbox, { expressions, contexts }: SandboxBatch): Promise<SandboxAnswer[]> {
  const answers: SandboxAnswer[] = [];
  for (const { expression, context } of expressions) {
    try {
      // one after the other: they are evaluated in one process anyway
      // oxlint-disable-next-line no-await-in-loop
      answers.push({ value: await sandbox.evaluate(expression, contexts[context]!) });
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      answers.push({ error: { kind: error.kind, message: error.message } });
    }
  }
  return answers;
}

function judgedBy(conditions: readonly Condition[], answers: readonly SandboxAnswer[]): Judged {
  let fault = '';
  const results = conditions.map(({ jinja2_expression: expression, description }, index) => {
    const answer = answers[index]!;
    if ('value' in answer) return { expression, description, result: isTrue(answer.value), error: '' };
    const error = plain(answer.error.message, 1000);
    // an event without the key that is asked for is no fault of the rule
    if (answer.error.kind !== 'undefined') fault ||= `Condition ${index + 1}: ${error}`;
    return { expression, description, result: false, error };
  });
  return { matched: !fault && results.every(({ result }) => result), results, fault };
}

/** As Jinja2 has it: what is empty is false. */
export function isTrue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
