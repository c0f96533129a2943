import { limitProblem } from '../../inventory/limit.ts';
import { branchProblem } from '../../scm/url.ts';
import { expressionProblem } from '../../yaml/expressions.ts';

/** Readers of prompts' values: the value as it is stored. @throws Error with the message for the client */

export const INT_MAX = 2_147_483_647;

export const plainText = (value: unknown): string => {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') throw new Error('Not a valid string.');
  if (value.includes('\0')) throw new Error('Null characters are not allowed.');
  return value;
};

export const text = (value: unknown, { maxText }: { maxText: number }): string => {
  const read = plainText(value);
  if (read.length > maxText) throw new Error(`Must not be longer than ${maxText} characters (MAX_TEXT_LENGTH).`);
  return read;
};

export const branch = (value: unknown) => {
  const name = plainText(value);
  if (name.length > 1024) throw new Error('Ensure this field has no more than 1024 characters.');
  const problem = branchProblem(name);
  if (problem) throw new Error(problem);
  return name;
};

export const integer = (min: number, max: number) => (value: unknown) => {
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw new Error('A valid integer is required.');
  if (number < min) throw new Error(`Ensure this value is greater than or equal to ${min}.`);
  if (number > max) throw new Error(`Ensure this value is less than or equal to ${max}.`);
  return number;
};

export const forks = (value: unknown, { maxForks }: { maxForks: number }) => {
  const number = integer(0, INT_MAX)(value);
  if (maxForks && number > maxForks) throw new Error(`Maximum number of forks (${maxForks}) exceeded.`);
  return number;
};

const words = new Map<unknown, boolean>([
  ...['true', 't', 'yes', 'y', 'on', '1', 1, true].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0', 0, false].map((word) => [word, false] as const),
]);

export const boolean = (value: unknown) => {
  const word = words.get(typeof value === 'string' ? value.toLowerCase() : value);
  if (word === undefined) throw new Error('Must be a valid boolean.');
  return word;
};

export const choice = (legal: readonly (string | number)[]) => (value: unknown) => {
  const option = legal.find((one) => one === value || String(one) === value);
  if (option === undefined) throw new Error(`"${String(value)}" is not a valid choice.`);
  return option;
};

/** Types by the names that clients know from the API that this one is shaped after. */
function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  const names: Record<string, string> = { boolean: 'bool', string: 'str', object: 'dict' };
  return names[typeof value] ?? 'float';
}

export const id = (value: unknown): number => {
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw new Error(`Incorrect type. Expected pk value, received ${typeName(value)}.`);
  return value;
};

export const limit = (value: unknown, limits: { maxText: number }): string => {
  const read = text(value, limits);
  const problem = limitProblem(read);
  if (problem) throw new Error(problem);
  return read;
};

/** The engine knows them by variables, whose texts it evaluates wherever they are used. */
export const tags = (value: unknown, limits: { maxText: number }): string => {
  const read = text(value, limits);
  const problem = expressionProblem(read);
  if (problem) throw new Error(problem);
  return read;
};

export const ids = (value: unknown): number[] => {
  if (!Array.isArray(value)) throw new Error('Expected a list of items.');
  if (value.length > 1000) throw new Error('Must not hold more than 1000 items.');
  return [...new Set(value.map(id))];
};
