import { ApiError } from '@tapline/plugin-sdk';
import { storableDeep } from '../descriptors/read/scalar.ts';
import { masked } from '../secrets/masked.ts';
import { choicesOf, hasDefault, isChoice, linesOf, type Question, questionTypes, type Survey } from './survey.ts';

/** More than anybody answers, and few enough to be checked at each launch. */
const mostQuestions = 1000;

const wrong = (error: string): never => {
  throw new ApiError(400, { error });
};

/**
 * contract/jobs.md §6.2: a survey as a client sends it, checked; the first problem is told. A password's default is plain
 * or `$encrypted$`. @param stored the questions that it replaces @throws ApiError 400
 */
export function readSurvey(
  body: Readonly<Record<string, unknown>>,
  stored: readonly Question[],
  { maxLength }: { maxLength: number },
): Survey {
  const { name, description, spec } = body;
  if (typeof name !== 'string') return wrong('name: the survey needs a name, a string.');
  if (typeof description !== 'string') return wrong('description: the survey needs a description, a string.');
  if (!Array.isArray(spec)) return wrong('spec: the survey needs a list of questions.');
  if (!spec.length) return wrong('spec: the survey needs at least one question.');
  if (spec.length > mostQuestions) wrong(`spec: a survey has at most ${mostQuestions} questions, not ${spec.length}.`);
  if (JSON.stringify(body).length > maxLength)
    wrong(`The survey must not be longer than ${maxLength} characters (MAX_VARIABLES_LENGTH).`);
  if (!storableDeep({ name, description, spec })) wrong('Null characters and unpaired surrogates are not allowed.');
  const before = new Map(stored.map((question) => [question.variable, question]));
  const variables = new Set<string>();
  const questions = spec.map((item: unknown, index) => {
    const question = readQuestion(item, `Question ${index + 1}`);
    if (variables.has(question.variable)) wrong(`Question ${index + 1}: variable "${question.variable}" is repeated.`);
    variables.add(question.variable);
    keepsWhatIsThere(question, before.get(question.variable), `Question ${index + 1}`);
    return question;
  });
  return { name, description, spec: questions };
}

function readQuestion(item: unknown, where: string): Question {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return wrong(`${where} is not an object.`);
  const sent = item as Record<string, unknown>;
  for (const key of ['type', 'question_name', 'variable'])
    if (typeof sent[key] !== 'string') wrong(`${where}: ${key} is missing or not a string.`);
  if (!String(sent['variable']).trim()) wrong(`${where}: variable is blank.`);
  if (typeof sent['required'] !== 'boolean') wrong(`${where}: required is missing or not a boolean.`);
  if (!questionTypes.some((type) => type === sent['type']))
    wrong(`${where}: "${String(sent['type'])}" is no type of question; there are ${questionTypes.join(', ')}.`);
  for (const key of ['min', 'max'])
    if (sent[key] !== undefined && sent[key] !== null && !Number.isInteger(sent[key]))
      wrong(`${where}: ${key} must be an integer or null.`);
  const question = { ...sent } as Question;
  if (isChoice(question)) readChoices(question, where);
  checkDefault(question, where);
  return question;
}

function readChoices(question: Question, where: string): void {
  const { choices } = question;
  if (typeof choices === 'string') question.choices = linesOf(choices).join('\n');
  else if (!Array.isArray(choices) || choices.some((choice) => typeof choice !== 'string'))
    wrong(`${where}: choices must be a list of strings, or a text with one in each line.`);
  if (!choicesOf(question).length) wrong(`${where}: a question of type ${question.type} needs choices.`);
}

function checkDefault(question: Question, where: string): void {
  const { type, default: value } = question;
  if (value === undefined || value === '') return;
  if (type === 'integer' && !Number.isInteger(value)) wrong(`${where}: default must be an integer.`);
  if (type === 'float' && !Number.isFinite(value)) wrong(`${where}: default must be a number.`);
  if (type === 'integer' || type === 'float') return;
  if (typeof value !== 'string') return wrong(`${where}: default must be a string.`);
  if (!isChoice(question)) return;
  const chosen = type === 'multiselect' ? linesOf(value) : [value];
  if (type === 'multiplechoice' && linesOf(value).length > 1) wrong(`${where}: only one choice can be the default.`);
  const choices = new Set(choicesOf(question));
  if (chosen.some((one) => !choices.has(one))) wrong(`${where}: default is none of the choices.`);
}

function keepsWhatIsThere(question: Question, before: Question | undefined, where: string): void {
  const { default: value, type, variable } = question;
  if (typeof value !== 'string' || !value.startsWith(masked)) return;
  if (type !== 'password') wrong(`${where}: ${masked} can be the default of passwords only.`);
  if (before?.type !== 'password')
    wrong(`${where}: default is ${masked}, but there is no stored default of "${variable}" to keep.`);
  question.default = before && hasDefault(before) ? masked : '';
}
