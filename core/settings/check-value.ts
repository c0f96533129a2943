import type { SettingDefinition } from './definition.ts';

/** Why a value cannot be taken, in words that name no key: the API and the file each add their own. */
export class SettingProblem extends Error {
  override name = 'SettingProblem';
}

const refuse = (message: string): never => {
  throw new SettingProblem(message);
};

/** The value as it is kept. @throws SettingProblem */
export function checkValue(definition: SettingDefinition, value: unknown): unknown {
  if (value === null || value === undefined) return definition.nullable ? null : refuse('This field may not be null.');
  const kept = checks[definition.type](value, definition);
  const problem = definition.check?.(kept as never);
  return problem === undefined ? kept : refuse(problem);
}

type Check = (value: unknown, definition: SettingDefinition) => unknown;

const checks: Record<SettingDefinition['type'], Check> = {
  integer: checkInteger,
  boolean(value) {
    const text = typeof value === 'string' ? value.toLowerCase() : value;
    if (text === true || text === 'true') return true;
    return text === false || text === 'false' ? false : refuse('Must be true or false.');
  },
  string: checkText,
  url(value) {
    const text = checkText(value);
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url && /^https?:$/.test(url.protocol) ? text : refuse('Must be an http or https address.');
  },
  choice(value, { choices = [] }) {
    return choices.some((choice) => choice === value)
      ? value
      : refuse(`${show(value)} is not one of ${choices.map((choice) => choice || "''").join(', ')}.`);
  },
  list(value) {
    const list = fromText(value);
    if (!Array.isArray(list)) return refuse('Must be a list of texts.');
    return list.map((item) => (typeof item === 'string' ? checkText(item) : refuse('Must be a list of texts.')));
  },
  map(value) {
    const entries = Object.entries(checkObject(value));
    return Object.fromEntries(entries.map(([name, item]) => [checkText(name), checkMapValue(item)]));
  },
  object: checkObject,
  image(value) {
    const text = checkText(value);
    return text === '' || /^data:image\/(gif|png|jpeg);base64,[A-Za-z0-9+/]+={0,2}$/.test(text)
      ? text
      : refuse('Must be a data URL of a gif, png or jpeg image in base64.');
  },
  timestamp(value) {
    const text = checkText(value);
    return Number.isNaN(Date.parse(text)) ? refuse('Must be a date and time such as 2026-01-31T12:00:00Z.') : text;
  },
};

function checkInteger(value: unknown, { min, max }: SettingDefinition): number {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return refuse('Must be a whole number.');
  if (min !== undefined && number < min) refuse(`Must be ${min} or more.`);
  if (max !== undefined && number > max) refuse(`Must be ${max} or less.`);
  return number;
}

function checkText(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return refuse('Must be a text.');
  // Postgres keeps neither
  if (text.includes('\0') || !text.isWellFormed()) refuse('Must not hold NUL or half characters.');
  return text;
}

function checkObject(value: unknown): Record<string, unknown> {
  const object = fromText(value);
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return refuse('Must be an object.');
  const text = JSON.stringify(object);
  // JSON writes both escaped
  if (/\\u0000|\\ud[89a-f]/i.test(text)) refuse('Must not hold NUL or half characters.');
  return object as Record<string, unknown>;
}

/** As environment variables: texts; numbers and truth values become texts. */
function checkMapValue(value: unknown): string {
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' || typeof value === 'number'
    ? checkText(value)
    : refuse('Its values must be texts.');
}

/** Command lines send lists and objects as the text that was typed. */
function fromText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
