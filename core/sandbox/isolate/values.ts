import { EvaluationError, wrong } from './errors.ts';

/**
 * Values as Python knows them: None is null, dict is a Map (keys keep their order), list is an array, tuple an array of
 * its own class. A float that is whole is a `Float`, so that 6 / 2 prints as 3.0; any other number is a plain one.
 */
export class Float {
  readonly n: number;

  constructor(n: number) {
    this.n = n;
  }
}

export class Tuple extends Array<unknown> {
  /** what is made from a tuple's items by mapping or filtering is a list */
  static override get [Symbol.species]() {
    return Array;
  }
}

/** A name without a value. Anything but asking whether it is defined is an error, as with Jinja2's StrictUndefined. */
export class Undefined {
  readonly hint: string;

  constructor(hint: string) {
    this.hint = hint;
  }

  fail(): never {
    throw new EvaluationError('undefined', this.hint);
  }
}

/** Something that can be called; `kwargs` by name. */
export type Callable = (args: unknown[], kwargs: Map<string, unknown>) => unknown;

export const float = (n: number): number | Float => (Number.isInteger(n) ? new Float(n) : n);
export const isFloat = (value: unknown): boolean =>
  value instanceof Float || (typeof value === 'number' && !Number.isInteger(value));
export const isNumber = (value: unknown): boolean => typeof value === 'number' || value instanceof Float;
export const isInt = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value);

/** The JavaScript number behind a number or boolean. */
export function numeric(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (value instanceof Float) return value.n;
  return typeof value === 'boolean' ? Number(value) : undefined;
}

export function typeName(value: unknown): string {
  if (value === null) return 'NoneType';
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof Map) return 'dict';
  if (value instanceof Tuple) return 'tuple';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'function') return 'function';
  return isFloat(value) ? 'float' : 'int';
}

export function truthy(value: unknown): boolean {
  if (value instanceof Undefined) value.fail();
  if (value instanceof Map) return value.size > 0;
  if (Array.isArray(value) || typeof value === 'string') return value.length > 0;
  const number = numeric(value);
  return number === undefined ? value !== null : number !== 0;
}

/** The items of whatever can be looped over. */
export function items(value: unknown): unknown[] {
  if (value instanceof Undefined) value.fail();
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return [...value.keys()];
  if (typeof value === 'string') return [...value];
  throw wrong(`'${typeName(value)}' object is not iterable`);
}

export function size(value: unknown): number {
  if (value instanceof Map) return value.size;
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  if (value instanceof Undefined) value.fail();
  throw wrong(`object of type '${typeName(value)}' has no len()`);
}

export function equal(a: unknown, b: unknown): boolean {
  for (const value of [a, b]) if (value instanceof Undefined) value.fail();
  const [x, y] = [numeric(a), numeric(b)];
  if (x !== undefined && y !== undefined) return x === y;
  if (Array.isArray(a) && Array.isArray(b))
    return (
      a instanceof Tuple === b instanceof Tuple && a.length === b.length && a.every((item, i) => equal(item, b[i]))
    );
  if (a instanceof Map && b instanceof Map)
    return a.size === b.size && [...a].every(([key, value]) => b.has(key) && equal(value, b.get(key)));
  return a === b;
}

/** Negative, zero or positive. @throws for what Python does not order */
export function order(a: unknown, b: unknown, operator = '<'): number {
  for (const value of [a, b]) if (value instanceof Undefined) value.fail();
  const [x, y] = [numeric(a), numeric(b)];
  if (x !== undefined && y !== undefined) return x - y;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : Number(a > b);
  if (Array.isArray(a) && Array.isArray(b) && typeName(a) === typeName(b)) {
    for (let i = 0; i < Math.min(a.length, b.length); i++) if (!equal(a[i], b[i])) return order(a[i], b[i], operator);
    return a.length - b.length;
  }
  throw wrong(`'${operator}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
}

export function contains(holder: unknown, item: unknown): boolean {
  for (const value of [holder, item]) if (value instanceof Undefined) value.fail();
  if (typeof holder === 'string') {
    if (typeof item === 'string') return holder.includes(item);
    throw wrong(`'in <string>' requires string as left operand, not ${typeName(item)}`);
  }
  if (holder instanceof Map) return [...holder.keys()].some((key) => equal(key, item));
  if (Array.isArray(holder)) return holder.some((one) => equal(one, item));
  throw wrong(`argument of type '${typeName(holder)}' is not iterable`);
}

/** From JSON to these values. Objects become Maps: nothing of JavaScript's own is reachable from them. */
export function fromJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value === 'object' && value !== null)
    return new Map(Object.entries(value).map(([key, item]) => [key, fromJson(item)]));
  return value;
}

/** Back to what JSON can hold. @throws for functions and names without a value */
export function toJson(value: unknown): unknown {
  if (value instanceof Undefined) value.fail();
  if (value instanceof Float) return value.n;
  if (Array.isArray(value)) return Array.from(value, toJson);
  if (value instanceof Map)
    return Object.fromEntries(
      [...value].map(([key, item]) => [typeof key === 'string' ? key : String(toJson(key)), toJson(item)]),
    );
  if (typeof value === 'function') throw wrong('a function is no value');
  return value;
}
