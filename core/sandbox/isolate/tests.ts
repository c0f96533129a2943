import { wrong } from './errors.ts';
import { modulo } from './operators.ts';
import { Float, Undefined, contains, equal, isFloat, isInt, isNumber, order } from './values.ts';

type Test = (value: unknown, ...args: unknown[]) => boolean;

const same = (value: unknown, other: unknown) =>
  value instanceof Float && other instanceof Float ? value.n === other.n : value === other;

/** The tests of Jinja2: `value is name(args)`. */
export const tests: Record<string, Test> = {
  defined: (value) => !(value instanceof Undefined),
  undefined: (value) => value instanceof Undefined,
  none: (value) => value === null,
  true: (value) => value === true,
  false: (value) => value === false,
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => isInt(value),
  float: (value) => isFloat(value),
  number: (value) => isNumber(value) || typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  mapping: (value) => value instanceof Map,
  sequence: (value) => Array.isArray(value) || typeof value === 'string' || value instanceof Map,
  iterable: (value) => Array.isArray(value) || typeof value === 'string' || value instanceof Map,
  callable: (value) => typeof value === 'function',
  sameas: same,
  even: (value) => equal(modulo(value, 2), 0),
  odd: (value) => equal(modulo(value, 2), 1),
  divisibleby: (value, by) => equal(modulo(value, by), 0),
  lower: (value) => String(value) === String(value).toLowerCase() && String(value) !== String(value).toUpperCase(),
  upper: (value) => String(value) === String(value).toUpperCase() && String(value) !== String(value).toLowerCase(),
  in: (value, holder) => contains(holder, value),
  eq: equal,
  ne: (value, other) => !equal(value, other),
  lt: (value, other) => order(value, other, '<') < 0,
  le: (value, other) => order(value, other, '<=') <= 0,
  gt: (value, other) => order(value, other, '>') > 0,
  ge: (value, other) => order(value, other, '>=') >= 0,
};
const aliases: Record<string, string> = {
  equalto: 'eq',
  '==': 'eq',
  '!=': 'ne',
  lessthan: 'lt',
  '<': 'lt',
  '<=': 'le',
  greaterthan: 'gt',
  '>': 'gt',
  '>=': 'ge',
};

export function testNamed(name: string): Test {
  const known = Object.hasOwn(aliases, name) ? aliases[name]! : name;
  if (Object.hasOwn(tests, known)) return tests[known]!;
  throw wrong(`No test named '${name}'.`);
}
