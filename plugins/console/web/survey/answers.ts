import { linesOf, type Question } from './questions.ts';

/** By variable, as the form holds them: texts, of multiselects lists. */
export type Answers = Record<string, string | string[]>;

export const firstAnswers = (questions: readonly Question[]): Answers =>
  Object.fromEntries(
    questions.map(({ variable, type, default: given }) => {
      const text = given === undefined || given === null ? '' : String(given);
      return [variable, type === 'multiselect' ? linesOf(text) : text];
    }),
  );

/** An empty answer is none; numbers are sent as such, and what is none as it was typed: the service says so. */
function sent({ type }: Question, answer: string | string[]): unknown {
  if (answer.length === 0) return undefined;
  const number = type === 'integer' || type === 'float';
  return number && !Number.isNaN(Number(answer)) ? Number(answer) : answer;
}

/** A launch's body with the answers among its extra variables, which may be YAML or JSON. */
export function withAnswers(body: Record<string, unknown>, questions: readonly Question[], answers: Answers) {
  const given = questions
    .map((question) => [question.variable, sent(question, answers[question.variable] ?? '')] as const)
    .filter(([, answer]) => answer !== undefined);
  if (!given.length) return body;
  return { ...body, extra_vars: merged(String(body['extra_vars'] ?? ''), Object.fromEntries(given)) };
}

function merged(text: string, answers: Record<string, unknown>): unknown {
  if (text.trim() === '') return answers;
  try {
    return { ...JSON.parse(text), ...answers };
  } catch {
    // JSON values are YAML: each answer is one more line of the mapping
    const lines = Object.entries(answers).map(([name, answer]) => `${JSON.stringify(name)}: ${JSON.stringify(answer)}`);
    return [text.trimEnd(), ...lines].join('\n');
  }
}
