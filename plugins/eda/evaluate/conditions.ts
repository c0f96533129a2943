import { type PluginApi, safeText, type SandboxAnswer } from '@tapline/plugin-sdk';
import type { Condition, ConditionResult } from '../rule.ts';
import { answerEach, answerTogether, isLate } from './answer.ts';

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
  /** one of them took too long: whoever has more of the kind keeps others waiting */
  late: boolean;
}

export interface Case {
  conditions: readonly Condition[];
  occurrence: Occurrence;
}

/** What is asked of the sandbox for some events, and what its answers say of each. */
function batchOf(cases: readonly Case[]) {
  const expressions = cases.flatMap(({ conditions }, context) =>
    conditions.map(({ jinja2_expression: expression }) => ({ expression, context })),
  );
  const contexts = cases.map(({ occurrence: { event, headers } }) => ({ event, headers }));
  const read = (answers: readonly SandboxAnswer[]): Judged[] => {
    const next = answers.values();
    return cases.map(({ conditions }) =>
      judgedBy(
        conditions,
        conditions.map(() => next.next().value!),
      ),
    );
  };
  return { batch: { expressions, contexts }, read };
}

/** Many events as one question; undefined where that cannot be answered as a whole. @throws SandboxError where nobody could be asked */
export async function judgeTogether(api: Sandbox, cases: readonly Case[]): Promise<Judged[] | undefined> {
  const { batch, read } = batchOf(cases);
  const answers = await answerTogether(api, batch);
  return answers && read(answers);
}

/**
 * Each condition for itself, also after one that does not hold, so that everybody sees which it was. An empty list always holds.
 * @throws SandboxError where nobody could be asked
 */
export async function judgeConditions(
  api: Sandbox,
  conditions: readonly Condition[],
  occurrence: Occurrence,
): Promise<Judged> {
  const { batch, read } = batchOf([{ conditions, occurrence }]);
  return read(await answerEach(api, batch))[0]!;
}

function judgedBy(conditions: readonly Condition[], answers: readonly SandboxAnswer[]): Judged {
  let fault = '';
  const results = conditions.map(({ jinja2_expression: expression, description }, index) => {
    const answer = answers[index]!;
    if ('value' in answer) return { expression, description, result: isTrue(answer.value), error: '' };
    const error = safeText(answer.error.message, 1000);
    // an event without the key that is asked for is no fault of the rule
    if (answer.error.kind !== 'undefined') fault ||= `Condition ${index + 1}: ${error}`;
    return { expression, description, result: false, error };
  });
  const late = answers.some((answer) => 'error' in answer && isLate(answer.error));
  return { matched: !fault && results.every(({ result }) => result), results, fault, late };
}

/** As Jinja2 has it: what is empty is false. */
export function isTrue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
