import { type PluginApi, type SandboxError, ValidationError } from '@tapline/plugin-sdk';
import { answerEach } from '../evaluate/answer.ts';
import type { Condition } from '../rule.ts';

/** What an expression finds in real events is not known here; of these no event would change anything. */
const wrong = new Set<SandboxError['kind']>(['syntax', 'timeout', 'memory']);

/** What is wrong with each, told to whoever writes it: it would make an error of every event. */
async function problemsOf(api: Pick<PluginApi, 'sandbox'>, expressions: readonly string[]): Promise<string[]> {
  const asked = expressions.map((expression) => ({ expression, context: 0 }));
  const answers = await answerEach(api, { expressions: asked, contexts: [{ event: {}, headers: {} }] });
  return answers.map((answer) =>
    'error' in answer && wrong.has(answer.error.kind) ? answer.error.message.slice(0, 500) : '',
  );
}

/** @throws ValidationError under `conditions`, naming each that is wrong; SandboxError where nobody could be asked */
export async function checkExpressions(
  api: Pick<PluginApi, 'sandbox'>,
  conditions: readonly Condition[],
): Promise<void> {
  const problems = await problemsOf(
    api,
    conditions.map(({ jinja2_expression: expression }) => expression),
  );
  const found = problems.flatMap((problem, index) => (problem ? [`Condition ${index + 1}: ${problem}`] : []));
  if (found.length) throw new ValidationError({ conditions: found });
}

/** @throws ValidationError under `group_by`; SandboxError where nobody could be asked */
export async function checkGroupBy(api: Pick<PluginApi, 'sandbox'>, expression: string): Promise<void> {
  const [problem] = expression ? await problemsOf(api, [expression]) : [];
  if (problem) throw ValidationError.field('group_by', problem);
}
