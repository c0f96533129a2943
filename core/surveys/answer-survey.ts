import { exactDigits, type Variables } from '../yaml/variables.ts';
import { masked } from '../secrets/masked.ts';
import { choicesOf, isChoice, type Question } from './survey.ts';

export interface Answers {
  /** of questions that nobody answered */
  defaults: Variables;
  /** those that are right */
  answers: Variables;
  /** what was given that no question asks for */
  rest: Variables;
  /** a sentence for each answer that is missing or wrong; none repeats what was given */
  problems: string[];
}

export interface Answering {
  /** the default of a question as its answer would be; undefined: none */
  defaultOf(question: Question): unknown;
  /** nobody fills in a form: a default stands in for the answer of a required question */
  unattended?: boolean;
  /** a later launch adds to the answers: none is missing yet */
  part?: boolean;
  /** variables that come besides the answers and count more */
  given?: ReadonlySet<string>;
}

/** contract/jobs.md §6.4: variables of a launch as answers to a survey. */
export function answerSurvey(
  questions: readonly Question[],
  variables: Variables,
  { defaultOf, unattended = false, part = false, given = new Set() }: Answering,
): Answers {
  const own = new Map(Object.entries(variables));
  const [defaults, answers, problems] = [new Map<string, unknown>(), new Map<string, unknown>(), [] as string[]];
  for (const question of questions) {
    const { variable, required } = question;
    const answer = own.get(variable);
    const keepsDefault = question.type === 'password' && answer === masked;
    const answered = own.delete(variable) && !keepsDefault;
    if (answered) {
      const problem = problemOf(question, answer);
      if (problem === undefined) answers.set(variable, answer);
      else problems.push(`'${variable}' ${problem}`);
      continue;
    }
    if (given.has(variable)) continue;
    const value = defaultOf(question);
    if (required && !part && (value === undefined || !(unattended || keepsDefault)))
      problems.push(`'${variable}' value missing: the question must be answered.`);
    // one that breaks the bounds, which are not held to it when it is saved, is none
    else if (value !== undefined && problemOf(question, value) === undefined) defaults.set(variable, value);
  }
  const objects = [defaults, answers, own].map((map): Variables => Object.fromEntries(map));
  return { defaults: objects[0]!, answers: objects[1]!, rest: objects[2]!, problems };
}

/** What is wrong with an answer; undefined: nothing. */
function problemOf(question: Question, answer: unknown): string | undefined {
  const { type } = question;
  if (isChoice(question)) return choiceProblem(question, answer);
  if (type === 'integer' || type === 'float') {
    const digits = exactDigits(answer) ?? (typeof answer === 'number' ? String(answer) : '');
    if (!digits) return type === 'integer' ? 'must be an integer.' : 'must be a number.';
    if (type === 'integer' && /[.eE]/.test(digits)) return 'must be an integer.';
    return boundsProblem(question, Number(digits), '');
  }
  if (typeof answer !== 'string') return 'must be a string.';
  return boundsProblem(question, [...answer].length, ' characters long');
}

function boundsProblem({ min, max }: Question, size: number, unit: string): string | undefined {
  if (typeof min === 'number' && size < min) return `is too small: it must be at least ${min}${unit}.`;
  if (typeof max === 'number' && size > max) return `is too large: it must be no more than ${max}${unit}.`;
  return undefined;
}

const shownChoices = 20;

function choiceProblem(question: Question, answer: unknown): string | undefined {
  const choices = choicesOf(question);
  const among = `${choices.slice(0, shownChoices).join(', ')}${choices.length > shownChoices ? ', …' : ''}`;
  if (question.type === 'multiplechoice')
    return choices.includes(answer as string) ? undefined : `must be one of ${among}.`;
  if (!Array.isArray(answer)) return 'must be a list of choices.';
  const known = new Set<unknown>(choices);
  return answer.every((one) => known.has(one)) ? undefined : `must be a list of some of ${among}.`;
}
