import type { Field, FieldType } from '../field.ts';

const isDate = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown) => typeof value === 'string';

/** What a default must be: it is stored as it stands, whatever clients may send in its place. */
const wanted: Record<FieldType, [what: string, is: (value: unknown) => boolean]> = {
  string: ['a text', isText],
  text: ['a text', isText],
  jsonText: ['a text', isText],
  integer: ['a whole number', Number.isSafeInteger],
  number: ['a number', isNumber],
  decimal: [
    'a number, or its digits as a text',
    (value) => isNumber(value) || (isText(value) && isNumber(Number(value))),
  ],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
  datetime: ['a time such as "2026-01-31T12:00:00Z"', isDate],
  choice: ['one of its choices', () => true],
  json: ['an object', isObject],
  list: ['a list', Array.isArray],
  ref: ['the id of a record', (value) => Number.isSafeInteger(value) && Number(value) > 0],
  computed: ['absent, since nothing is stored', () => false],
};

const texts = new Set<FieldType>(['string', 'text', 'jsonText']);
const numbers = new Set<FieldType>(['integer', 'number', 'decimal']);
/** Links and times that lead nowhere are what null stands for there. */
const emptyAs = new Set<FieldType>(['ref', 'datetime']);

/** What is wrong with the default of a field; undefined where nothing is. */
export function defaultProblem({ type, default: value, nullable, choices, min, max }: Field): string | undefined {
  if (value === undefined || (value === null && (nullable || emptyAs.has(type)))) return undefined;
  const shown = JSON.stringify(value);
  const [what, is] = wanted[type];
  if (!is(value)) return `default ${shown} must be ${what}`;
  if (type === 'choice' && value !== '' && !choices?.some(([choice]) => choice === value))
    return `default ${shown} must be one of ${choices?.map(([choice]) => JSON.stringify(choice)).join(', ')}`;
  if (texts.has(type) ? value === '' : !numbers.has(type)) return undefined;
  const size = texts.has(type) ? [...(value as string)].length : Number(value);
  if (max !== undefined && size > max) return `default ${shown} is beyond its max ${max}`;
  if (min !== undefined && size < min) return `default ${shown} is below its min ${min}`;
  return undefined;
}
