import type { Field } from '@tapline/plugin-sdk';
import type { ModelField } from '../model.ts';
import { parseBoolean, parseInstant, parseNumber, parseWhole, storable, storableDeep } from '../read/scalar.ts';
import { variablesProblem } from '../../yaml/variables.ts';

/** A value that a client sent, as the column takes it, or what is wrong with it. */
export type Checked = { value: unknown } | { error: string };

/** How long texts may be that have no limit of their own, by the setting that says so. */
export type Longest = (setting: 'MAX_TEXT_LENGTH' | 'MAX_VARIABLES_LENGTH') => number;

const ok = (value: unknown): Checked => ({ value });
const bad = (error: string): Checked => ({ error });

const requiredBlank = 'This field may not be blank.';
const requiredNull = 'This field may not be null.';

/** Value of an omitted optional field. */
export function defaultOf({ default: given, nullable, type, numeric, choices }: Field): unknown {
  if (given !== undefined) return structuredClone(given);
  if (nullable) return null;
  switch (type) {
    case 'integer':
    case 'number':
    case 'decimal':
      return 0;
    case 'boolean':
      return false;
    case 'choice':
      return numeric ? (choices?.[0]?.[0] ?? 0) : '';
    case 'json':
      return {};
    case 'list':
      return [];
    case 'ref':
    case 'datetime':
    case 'computed':
      return null;
    default:
      return '';
  }
}

export function checkValue(bound: ModelField, value: unknown, longest?: Longest): Checked {
  const checked = checkType(bound, value);
  const problem = longest && 'value' in checked && lengthProblem(bound.field, checked.value, longest);
  return problem ? bad(problem) : checked;
}

function lengthProblem({ type, max }: Field, value: unknown, longest: Longest): string | undefined {
  const isDocument = type === 'json' || type === 'list';
  if (value === null || !(isDocument || (type === 'text' && max === undefined))) return undefined;
  const setting = isDocument ? 'MAX_VARIABLES_LENGTH' : 'MAX_TEXT_LENGTH';
  const length = isDocument ? JSON.stringify(value).length : (value as string).length;
  const most = longest(setting);
  return length > most ? `Must not be longer than ${most} characters (${setting}).` : undefined;
}

function checkType(bound: ModelField, value: unknown): Checked {
  const { field } = bound;
  if (value === null && field.nullable) return ok(null);
  switch (field.type) {
    case 'string':
    case 'text':
      return checkText(field, value);
    case 'choice':
      return checkChoice(field, value);
    case 'boolean':
      return checkBoolean(value);
    case 'integer':
      return checkInteger(bound, value);
    case 'number':
    case 'decimal':
      return checkNumber(field, value);
    case 'datetime':
      return checkInstant(field, value);
    case 'json':
    case 'list':
      return checkJson(field, value);
    case 'ref':
      return checkRef(field, value);
    default:
      return bad('This field cannot be set.');
  }
}

function checkText(field: Field, value: unknown): Checked {
  if (value === null) return field.required ? bad('This field cannot be blank.') : ok('');
  if (typeof value !== 'string' && typeof value !== 'number') return bad('Not a valid string.');
  const text = String(value).trim();
  if (!storable(text))
    return bad(text.includes('\0') ? 'Null characters are not allowed.' : 'Unpaired surrogates are not allowed.');
  if (!text && field.required) return bad(requiredBlank);
  const length = field.max === undefined ? 0 : [...text].length;
  if (field.max !== undefined && length > field.max)
    return bad(`Ensure this field has no more than ${field.max} characters.`);
  if (field.min !== undefined && text && [...text].length < field.min)
    return bad(`Ensure this field has at least ${field.min} characters.`);
  return ok(text);
}

/** For jsonText: a long one is read on another thread. */
export async function checkVariables(field: Field, value: unknown, maxLength?: number): Promise<Checked> {
  if (value === null && field.nullable) return ok(null);
  const text = checkText(field, value);
  // coercing a number to text would only make a scalar of it
  if (typeof value === 'number') return bad('Not a valid string.');
  if ('error' in text) return text;
  const problem = await variablesProblem(text.value as string, { engineTags: field.engineTags, maxLength });
  return problem === undefined ? text : bad(problem);
}

function checkChoice(field: Field, value: unknown): Checked {
  const values = (field.choices ?? []).map(([choice]) => choice);
  if (value === null && !values.includes('')) return bad('This field cannot be blank.');
  const given =
    value === null ? '' : field.numeric ? wholeNumber(value) : typeof value === 'number' ? String(value) : value;
  if (values.includes(given as string | number)) return ok(given);
  return bad(`"${shown(value)}" is not a valid choice.`);
}

const wholeNumber = (value: unknown) => {
  const number = parseWhole(value);
  return number === undefined ? value : Number(number);
};

const shown = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, 200);

function checkBoolean(value: unknown): Checked {
  if (value === null || value === '') return ok(false);
  const boolean = parseBoolean(value);
  return boolean === undefined ? bad('Must be a valid boolean.') : ok(boolean);
}

const ranges: Record<string, bigint> = { smallint: 2n ** 15n - 1n, integer: 2n ** 31n - 1n };
// a larger number would not survive as a JSON number in most clients
const safeRange = BigInt(Number.MAX_SAFE_INTEGER);

function checkInteger({ field, dataType = 'integer' }: ModelField, value: unknown): Checked {
  if (value === null) return bad(requiredNull);
  const number = parseWhole(value);
  if (number === undefined) return bad('A valid integer is required.');
  const range = ranges[dataType] ?? safeRange;
  const low = field.min === undefined ? -range : BigInt(field.min);
  const high = field.max === undefined ? range : BigInt(field.max);
  if (number < low) return bad(`Ensure this value is greater than or equal to ${low}.`);
  if (number > high) return bad(`Ensure this value is less than or equal to ${high}.`);
  return ok(Number(number));
}

function checkNumber(field: Field, value: unknown): Checked {
  if (value === null) return bad(requiredNull);
  const number = parseNumber(value);
  if (number === undefined) return bad('A valid number is required.');
  if (field.min !== undefined && Number(number) < field.min)
    return bad(`Ensure this value is greater than or equal to ${field.min}.`);
  if (field.max !== undefined && Number(number) > field.max)
    return bad(`Ensure this value is less than or equal to ${field.max}.`);
  return ok(field.type === 'decimal' ? number : Number(number));
}

function checkInstant(field: Field, value: unknown): Checked {
  if (value === null || value === '') return field.required ? bad(requiredNull) : ok(null);
  const instant = parseInstant(value);
  return instant
    ? ok(instant)
    : bad(
        'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
      );
}

function checkJson(field: Field, value: unknown): Checked {
  const wanted = field.type === 'list' ? 'list' : 'dict';
  if (value === null) return ok(field.type === 'list' ? [] : {});
  if (field.orText && typeof value === 'string') return ok(value);
  if (!(field.orList && Array.isArray(value)) && pythonName(value) !== wanted) {
    return bad(
      wanted === 'list'
        ? `Expected a list of items but got type "${pythonName(value)}".`
        : `Expected a dictionary of items but got type "${pythonName(value)}".`,
    );
  }
  return storableDeep(value) ? ok(value) : bad('Null characters and unpaired surrogates are not allowed.');
}

function checkRef(field: Field, value: unknown): Checked {
  if (value === null) return bad(requiredNull);
  if (value === '') return field.nullable ? ok(null) : bad(requiredBlank);
  const id = typeof value === 'number' || typeof value === 'string' ? parseWhole(value) : undefined;
  if (id === undefined) return bad(`Incorrect type. Expected pk value, received ${pythonName(value)}.`);
  if (id > safeRange || id < 1n) return bad(`Invalid pk "${id}" - object does not exist.`);
  return ok(Number(id));
}

/** Type names as clients know them from these messages. */
export function pythonName(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'string':
      return 'str';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float';
    default:
      return value === null ? 'NoneType' : 'dict';
  }
}
