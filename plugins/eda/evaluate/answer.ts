import {
  type PluginApi,
  type SandboxAnswer,
  type SandboxBatch,
  type SandboxError,
  saysWhatIsWrong,
} from '@tapline/plugin-sdk';

type Sandbox = Pick<PluginApi, 'sandbox'>;

/** Of all answers of a batch, and of one alone: as much as its contexts may be. */
const longestAnswer = 4_194_304;
/** So many in a row that take too long, or all of them together so long, and the others of the batch are not asked. */
const mostLate = 3;
const patienceMs = 10_000;
const notAsked = { kind: 'timeout', message: 'not evaluated, since those before it took too long' } as const;

/** It used up what it was given: whoever asks more of the kind keeps others waiting. */
export const isLate = ({ kind }: Pick<SandboxError, 'kind'>): boolean => kind === 'timeout' || kind === 'memory';

/** Undefined where they cannot be answered as a whole, since one of them takes too long. @throws SandboxError where nobody could be asked */
export async function answerTogether({ sandbox }: Sandbox, batch: SandboxBatch): Promise<SandboxAnswer[] | undefined> {
  if (!batch.expressions.length) return [];
  try {
    return await sandbox.evaluateEach(batch, { maxOutput: longestAnswer });
  } catch (error) {
    if (saysWhatIsWrong(error)) return undefined;
    throw error;
  }
}

/** All of them are one question to the process that evaluates; where that cannot be answered as a whole, each is asked alone. */
export async function answerEach(api: Sandbox, batch: SandboxBatch): Promise<SandboxAnswer[]> {
  const together = batch.expressions.length === 1 ? undefined : await answerTogether(api, batch);
  return together ?? answerAlone(api, batch);
}

async function answerAlone({ sandbox }: Sandbox, { expressions, contexts }: SandboxBatch): Promise<SandboxAnswer[]> {
  const until = performance.now() + patienceMs;
  const answers: SandboxAnswer[] = [];
  let late = 0;
  for (const { expression, context } of expressions) {
    if (late >= mostLate || performance.now() > until) answers.push({ error: notAsked });
    // one after the other: they are evaluated in one process anyway
    // oxlint-disable-next-line no-await-in-loop
    else answers.push(await answerOne(sandbox, expression, contexts[context]!));
    const answer = answers.at(-1)!;
    late = 'error' in answer && isLate(answer.error) ? late + 1 : 0;
  }
  return answers;
}

async function answerOne(
  sandbox: PluginApi['sandbox'],
  expression: string,
  context: Record<string, unknown>,
): Promise<SandboxAnswer> {
  try {
    return { value: await sandbox.evaluate(expression, context, { maxOutput: longestAnswer }) };
  } catch (error) {
    if (!saysWhatIsWrong(error)) throw error;
    return { error: { kind: error.kind, message: error.message } };
  }
}
